/** The bounds of the crew. Those of the runtime are in src/limits.ts. */

/** Failures remembered per correlation and per signature. Further failures begin a new correlation. */
export const CORRELATION_FAILURES_MAX = 500;

/** People that one gate may ask, and reminders that it may send them. More belong on a mailing list. */
export const GATE_AUDIENCE_MAX = 100;
export const GATE_REMINDERS_MAX = 100;

/** Bytes of the names of an audience, which fit into one table row together with the answer: 100 of 200 letters. */
export const GATE_AUDIENCE_BYTES_MAX = 21 * 1024;

/**
 * Characters of each of a gate's `item`, `stage` and `proposal`: the longest path of an item, or one line for people.
 */
export const GATE_ABOUT_CHARS_MAX = 500;

/** Unanswered orders about one item of a desk: enough for the orders that arrive while its actor is starting. */
export const DESK_ORDERS_OPEN_MAX = 16;

/** Bytes of one order that a desk passes on. The order is a row of a table until the item's actor has answered it. */
export const DESK_ORDER_BYTES_MAX = 48 * 1024;

/** Digests of gate forms known to be valid, 100 bytes each: a crew uses a few dozen forms. */
export const GATE_FORMS_KNOWN_MAX = 1_000;

/**
 * Bytes of an answer to a gate, which becomes part of the gate's record. Put larger data into a file that the answer
 * names.
 */
export const GATE_ANSWER_BYTES_MAX = 32 * 1024;

/** Bytes of the value that applies when nobody answers a gate; also part of the gate's record. */
export const GATE_TIMEOUT_BYTES_MAX = 8 * 1024;

/**
 * Closed gates that the gate desk keeps, about 500 bytes each: a day's work of many people. The oldest are dropped
 * first.
 */
export const GATES_KEPT_MAX = 1_000;

/** Contributions recorded per debate, both sides together, about 500 bytes each. Further ones are not recorded. */
export const DEBATE_CONTRIBUTIONS_MAX = 100;

/** Confirmations by agents recorded per debate, up to 8 KiB each: all of them go into the package for people. */
export const DEBATE_CONFIRMATIONS_MAX = 20;

/** Ended debates that the facilitator keeps, some kilobytes each: years of precedents. The oldest are dropped first. */
export const DEBATES_KEPT_MAX = 1_000;

/**
 * Decided debates kept per item, about 500 bytes each. Every task of the item is given them. The oldest are dropped
 * first.
 */
export const ITEM_DEBATES_KEPT_MAX = 100;

/**
 * Bytes of an agent's message that is kept for people: a page of text, which fits into one table row together with its
 * answer.
 */
export const TALK_CONTENT_BYTES_MAX = 8 * 1024;

/** Findings kept per item, at most 400 KiB in one package. The oldest are dropped first. */
export const FINDINGS_KEPT_MAX = 50;

/**
 * Messages of peers remembered to detect duplicates, about 200 bytes each: a peer repeats an unacknowledged message
 * within minutes. The oldest are dropped first.
 */
export const ENVELOPES_KNOWN_MAX = 10_000;

/**
 * Observations kept per agent, about 120 bytes each: enough for two years of rolling accuracy. The oldest are dropped
 * first.
 */
export const OBSERVATIONS_PER_AGENT_MAX = 500;

/** Further failures kept in the record of one pause (CA-017). The item's checkpoint still names every failed task. */
export const PAUSE_FAILURES_MAX = 100;

/** Failed resume plans kept per item, the latest ones (CA-030): enough to see a pattern. */
export const FAILED_PLANS_MAX = 10;

/**
 * Characters of a ticket's title and description (MX-094): a line and a paragraph, which a person can take in at once.
 */
export const TICKET_TITLE_CHARS_MAX = 200;
export const TICKET_DESCRIPTION_CHARS_MAX = 800;

/** The narrower bounds of a ticket that an agent escalates (MX-101), and of the description of an investigation. */
export const TICKET_ESCALATION_TITLE_CHARS_MAX = 100;
export const TICKET_ESCALATION_DESCRIPTION_CHARS_MAX = 500;

/** Characters of one reply (MX-094), and of the text with which a person resolves a ticket by hand (MX-093). */
export const TICKET_REPLY_CHARS_MAX = 1_200;
export const TICKET_RESOLUTION_CHARS_MAX = 2_000;

/** Characters of the reason for an order about a ticket: a sentence or two. */
export const TICKET_REASON_CHARS_MAX = 500;

/** Options that a ticket offers: more do not fit as buttons beside each other. */
export const TICKET_OPTIONS_MAX = 10;

/** Pieces of evidence that a ticket shows, and characters of each excerpt: a page to read before answering. */
export const TICKET_EVIDENCE_MAX = 10;
export const TICKET_EVIDENCE_CHARS_MAX = 500;

/** Entries in the thread of a ticket, replies and follow-ups together: a discussion belongs elsewhere. */
export const TICKET_THREAD_MAX = 100;

/** Reminders that one ticket may send: more would be ignored. */
export const TICKET_REMINDERS_MAX = 10;

/**
 * Tickets that are not archived. Each has a row in a table of the desk and a row in an index of it, and a table holds
 * at most 100,000 rows.
 */
export const TICKETS_LIVE_MAX = 50_000;

/** Archived tickets that the desk keeps, some kilobytes each. The oldest are dropped first. */
export const TICKETS_ARCHIVED_KEPT_MAX = 10_000;

/** Tickets on one page of a list, and rows read for it: one page takes a millisecond or two. */
export const TICKETS_PAGE_MAX = 200;
export const TICKETS_PAGE_READ_MAX = 1_000;

/** Profiles in a registry. With their index they take some 100 MB of memory, and people cannot tell so many apart. */
export const AGENT_PROFILES_MAX = 10_000;

/**
 * Bytes of a profile, which is one row of a table together with its source. Most of the bytes are its system prompt.
 */
export const AGENT_PROFILE_BYTES_MAX = 60 * 1024;

/** Profiles that are added to an index of selection at once: a few milliseconds, and then the loop gets its turn. */
export const INDEX_SLICE_PROFILES = 4;

/** Characters of a question, and of the summary of its context. Both fit into a ticket's description. */
export const QUESTION_CHARS_MAX = 1_000;

/** Characters of one snippet or quotation of a question's context: 150 lines of 200 characters. */
export const SNIPPET_CHARS_MAX = 30_000;

/** Snippets of one question, and references to plans: more would be a search of its own. */
export const BUNDLE_PARTS_MAX = 40;

/** Possible answers that an asker may name. */
export const BUNDLE_OPTIONS_MAX = 20;

/** Bytes of a question with its whole context, which its actor keeps until the question is settled. */
export const BUNDLE_BYTES_MAX = 256 * 1024;

/** Questions under way at once, including queued ones; each is an actor. Further ones are refused. */
export const QUESTIONS_OPEN_MAX = 10_000;

/** Settled questions that the answer desk keeps, some kilobytes each. The oldest are dropped first. */
export const QUESTIONS_KEPT_MAX = 20_000;

/** Users of one answer, each of whom is told of a correction. Further askers get a question of their own. */
export const ANSWER_USERS_MAX = 500;

/**
 * Users, keys of askers, and answers that rest on others, each in all of a desk: from here on the oldest settled
 * questions are dropped. A table has 100,000 rows, and each question under way may add two of its own.
 */
export const ANSWER_ROWS_MAX = 75_000;

/** Precedents, which are people's earlier answers, about a kilobyte each: as many as a table holds. */
export const PRECEDENTS_KEPT_MAX = 100_000;

/** Changed answers waiting for one asker's next call. The oldest are dropped first. */
export const CHANGES_WAITING_MAX = 100;

/**
 * Changed answers waiting for all askers. Beyond, a change is sent to actors and watchers, and shown with its question,
 * but not kept for a reply: so many askers that never call again are gone.
 */
export const NEWS_KEPT_MAX = 95_000;

/** Triggers that users have defined. */
export const CUSTOM_TRIGGERS_MAX = 100;

/** Resolutions in the log of one answer desk, about 300 bytes each. */
export const RESOLUTIONS_KEPT_MAX = 1_000_000;

/** Observations of agents that are kept, about a kilobyte each. */
export const OBSERVATIONS_KEPT_MAX = 10_000;

/** Proposals for changed settings that are kept. The oldest are dropped first. */
export const PROPOSALS_KEPT_MAX = 500;

/** Sessions that one run may spawn: far beyond a day's work, and few enough to be counted one by one. */
export const HUB_SPAWNS_MAX = 10_000;

/** Sessions of one run at once: each may have a process and a worktree. The default suits a laptop. */
export const HUB_CONCURRENT_MAX = 1_000;
export const HUB_CONCURRENT = 4;

/** Bytes of one hand-off, which becomes a record of its work plan. Larger results go into a file that it names. */
export const HANDOFF_BYTES_MAX = 64 * 1024;

/** Entries of lineage, and of each other record, that a work plan keeps. The oldest are dropped first. */
export const PLAN_RECORDS_KEPT_MAX = 100_000;

/**
 * Characters of a prompt, and bytes of the structure of its scope, that stay on record when its session has closed.
 * Together they fit into a record, whatever the characters.
 */
export const PROMPT_KEPT_CHARS_MAX = 32_000;
export const PROMPT_SCOPE_BYTES_MAX = 16 * 1024;

/** Steps of a work plan: more are several plans. */
export const PLAN_STEPS_MAX = 1_000;

/** Notes and goals of a work plan. */
export const PLAN_NOTES_MAX = 1_000;

/** Documents that the sessions of a work plan share, and characters of one. */
export const PLAN_DOCUMENTS_MAX = 100;
export const PLAN_DOCUMENT_CHARS_MAX = 64 * 1024;

/** Spawns and preparations of one hub that wait for the work plan to be read, and prepared spawns that it keeps. */
export const SPAWNS_ASKED_MAX = 1_000;
export const SPAWNS_PREPARED_MAX = 100;

/** Bytes of a hand-off's data that go back to whoever spawned the session. Larger ones are read from the lineage. */
export const RETURNED_BYTES_MAX = 4 * 1024;

/** Runs that the hub desk keeps after their end, with the work plans that belong to them. */
export const HUB_RUNS_KEPT_MAX = 1_000;

/** Tasks of a plan, and tasks that the orchestrator keeps after their end, some kilobytes each. */
export const PLAN_TASKS_MAX = 1_000;
export const TASKS_KEPT_MAX = 20_000;

/** Tasks under way at once, each an actor. Plans that would bring more are refused. */
export const TASKS_OPEN_MAX = 10_000;

/** Hand-offs on record, about 800 bytes each, and hand-offs that wait for drained teams. */
export const HANDOFFS_KEPT_MAX = 100_000;
export const HANDOFFS_HELD_MAX = 10_000;

/** Changes of tasks on record, about 200 bytes each. */
export const TASK_ENTRIES_KEPT_MAX = 200_000;

/** Results of research that are given again, up to 40 KiB each. The oldest are dropped first. */
export const RESEARCH_KEPT_MAX = 500;

/** Checks of communication, and clean-ups, on record, about 500 bytes each. */
export const UPKEEP_KEPT_MAX = 20_000;
