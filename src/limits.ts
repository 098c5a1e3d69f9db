/**
 * Every bound of the runtime, with its unit in its name and its reason beside it. Each has a test at the bound. Those
 * of the gateway and of the crew: gateway/limits.ts, machines/limits.ts. In all of them, bytes of text are those of its
 * UTF-8 (text-bytes.ts), and characters are UTF-16 units.
 */

/** Deeper than any hand-written context seen in practice; msgpack and JSON both fail at a few thousand. */
export const VALUE_DEPTH_MAX = 32;

/**
 * Bytes of one value (a context key, an event, an input). Larger data belongs in a file whose path is in the context.
 */
export const VALUE_BYTES_MAX = 4 * 1024 * 1024;

/** Bytes of one command of a Boss, which holds the input of a child twice: for the child and for its record. */
export const BOSS_COMMAND_BYTES_MAX = 2 * VALUE_BYTES_MAX;

/**
 * Characters of an error's quoted text: enough to act on, small enough for records, events and further errors. Also of
 * its stack: some twenty frames.
 */
export const ERROR_TEXT_CHARS_MAX = 2_000;
export const ERROR_STACK_CHARS_MAX = 4_000;

/** Stored frames of a stack, without those of the kernel: as many as Node captures. */
export const STACK_FRAMES_MAX = 10;

/**
 * Failures of one agent, under one error name, whose stacks are read within a period: enough to see the places. In a
 * storm of failures reading stacks takes about a tenth of the processor time of a restart, and 170 bytes of its
 * journal.
 */
export const STACKS_PER_PERIOD_MAX = 10;
export const STACK_PERIOD_MS = 1_000;

/** Frames in the record of a Boss: the place of the failure. The others are stored with the failed actor. */
export const RECORD_FRAMES_MAX = 1;

/** Characters of the text of an error in a log line: a line is for reading, and the whole error is stored. */
export const LOG_ERROR_CHARS_MAX = 500;

/**
 * Log lines about incidents (crashes, restarts and so on), of each kind, within a period: a storm of one kind hides no
 * other kind, and writes two lines a second at most. The end of the period reports how many were left out.
 */
export const INCIDENT_LINES_MAX = 20;
export const INCIDENT_PERIOD_MS = 10_000;

/** Characters of a key of a table. Keys are compared at every level of the tree, and are in every page. */
export const TABLE_KEY_CHARS_MAX = 256;

/** Bytes of a row of a table: a page of 32 takes 2 MiB beside its keys. Larger data belongs in a file or an actor. */
export const TABLE_ROW_BYTES_MAX = 64 * 1024;

/** Rows of one table. Beyond that, use one actor per row, or several actors by key. */
export const TABLE_ROWS_MAX = 100_000;

/** Tables of one context. Each has its own pages, and an entry in every stored state. */
export const TABLES_MAX = 16;

/** Names of records that an agent may declare: the state of each of its actors has an entry for each. */
export const RECORD_NAMES_MAX = 32;

/** Index keys of the records of one name: each costs a row per record. */
export const RECORD_KEYS_MAX = 4;

/** Characters of the value of an index key, which becomes part of a key of the store. */
export const RECORD_KEY_CHARS_MAX = 256;

/** Bytes of one record: it travels in the epoch of its turn. */
export const RECORD_BYTES_MAX = 256 * 1024;

/** Records in one turn, each of which is one to five rows in its epoch. */
export const RECORDS_PER_TURN_MAX = 100;

/** Records of one name of an actor, or results of an agent, kept by default and at most; and days of results. */
export const RECORDS_KEPT = 10_000;
export const RECORDS_KEPT_MAX = 10_000_000;
export const RESULTS_KEPT_DAYS = 30;

/** Records that one call returns by default and at most, and those that it reads where not all match. */
export const RECORDS_LISTED = 100;
export const RECORDS_READ_MAX = 1_000;
export const RECORDS_EXAMINED_MAX = 10_000;

/** Records of ended actors that are removed with one epoch: some 3 ms where each has to be read for its keys. */
export const RECORDS_PURGED_AT_ONCE = 40;

/** Interval of the search for records that are too old. */
export const RECORDS_SWEPT_EVERY_MS = 3_600_000;

/**
 * Bytes of rows that enter an actor at once where its whole context is set: a first turn, a restart, a migration, a
 * replaced state. EPOCH_BYTES_MAX closes the epoch after it.
 */
export const TABLES_GIVEN_BYTES_MAX = 64 * 1024 * 1024;

/** Unread messages of one actor; a host that sends more gets BOSUN_MAILBOX_FULL. An agent may set a lower bound. */
export const MAILBOX_MESSAGES_MAX = 10_000;

/**
 * Deferred messages of one actor: more is work that belongs in a context. They do not take room in the mailbox, or
 * deferring could keep out the very message that ends it.
 */
export const DEFERRED_MESSAGES_MAX = 1_000;

/** Messages of higher priority that may be taken while one of a lower priority waits: one visit of an actor. */
export const PRIORITY_RUN_MAX = 16;

/**
 * Messages that one actor may take before others get their turn. 16 kept p99 of quiet actors within 3x beside a busy
 * one.
 */
export const MESSAGES_PER_VISIT = 16;

/**
 * Turns in one epoch that is not awaited. Bounds the size of one sync, the turns that a crash can undo, and how long
 * closing an epoch blocks the loop.
 */
export const TURNS_PER_EPOCH = 20_000;

/**
 * Turns in one awaited epoch, and the number of callers that may wait for it. Their answers wait for all of these
 * turns, and sending the answers blocks the loop.
 */
export const TURNS_PER_AWAITED_EPOCH = 2_000;

/**
 * Milliseconds for which an awaited epoch takes further turns while there are some to take, counted from the first
 * waiter. Without further turns it closes at once.
 */
export const EPOCH_MS = 4;

/** Factor by which an epoch that is not awaited is longer: all of its turns share its cost. */
export const UNAWAITED_EPOCH_FACTOR = 5;

/**
 * Bytes that the turns of one epoch admit, together with its host events; beyond it no further turn is taken. At most
 * two epochs are in memory only, so this bounds their size and the time to write one; 16 MiB take some 0.1 s on a
 * present-day disk.
 */
export const EPOCH_BYTES_MAX = 16 * 1024 * 1024;

/** Bytes of host events that were accepted and are not durable yet; further ones are refused with BOSUN_OVERLOADED. */
export const UNCOMMITTED_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Milliseconds for which a host event may be expected to wait for its epoch, by the current pace. Beyond it the event
 * is refused with BOSUN_OVERLOADED.
 */
export const ADMISSION_WAIT_MS_MAX = 10_000;

/**
 * Length of one slice of turns before control returns to the event loop, which costs some microseconds. A caller that
 * waits for an epoch waits for two slices: until its event is accepted, and until it is told.
 */
export const SLICE_MS = 0.5;

/** Deliveries of one message that crash its agent before it is quarantined (P6). */
export const DELIVERIES_MAX = 3;

/**
 * Messages quarantined in a row, with none processed between, that suspend their agent: one may be a bad message, two
 * suggest a bad state (P6).
 */
export const QUARANTINES_IN_A_ROW_MAX = 2;

/** Microsteps of one macrostep; more is an endless `always` loop. */
export const MICROSTEPS_MAX = 10_000;

/**
 * Lookups by patterns (`*`, `a.*`) that one state node may cache before it clears the cache. XState caches every event
 * type for ever; repeating a lookup this seldom costs nothing measurable.
 */
export const PATTERN_LOOKUPS_MAX = 1_000;

/**
 * Entries that the plan engine caches for one definition: positions, selections and microsteps, some 1 KB each. Most
 * machines need some dozens; one with many parallel regions could need any number. XState handles the rest.
 */
export const PLANS_MAX = 4_096;

/** Segments of an address, and characters of one segment. */
export const ADDRESS_SEGMENTS_MAX = 16;
export const ADDRESS_SEGMENT_CHARS_MAX = 128;

/**
 * Timers of one actor. A turn that arms more is a loop; a hundred actors of this size have the ten million timers that
 * fit into memory.
 */
export const TIMERS_PER_ACTOR_MAX = 100_000;

/**
 * Timers that fire in one slice: as many as there are turns in an epoch, so that a start with a million overdue timers
 * does not block.
 */
export const TIMERS_PER_SLICE = 2_000;

/** Schedules of one agent: each is a timer of every one of its actors, checked on every start. */
export const SCHEDULES_PER_AGENT_MAX = 100;

/**
 * Missed times of a schedule that are counted; finding one costs half a millisecond, so this is half a second at a
 * start.
 */
export const SCHEDULE_MISSED_MAX = 1_000;

/** Missed times of a schedule that may get an event each: as many as are counted. */
export const SCHEDULE_CATCH_UP_MAX = 1_000;

/**
 * Interval at which the time is stored while a timer with the policy `remaining` is armed: its precision after a crash.
 */
export const HEARTBEAT_MS = 60_000;

/**
 * Records of children that a start reads for all Bosses together, where it does not read every actor: some 50 ms. The
 * tables of Bosses with more stay on disk until a decision needs them whole, and a table larger than this is released
 * after use.
 */
export const CHILD_TABLE_ROWS_AT_START = 10_000;

/** Actors checked for eviction, beyond the number to evict: bounds the cost of many busy actors per epoch. */
export const RESTING_LOOKS = 256;

/**
 * Milliseconds by which the wall clock may be ahead of the last epoch at a start: systems are stopped for months,
 * seldom for years.
 */
export const CLOCK_AHEAD_MS_MAX = 366 * 24 * 60 * 60 * 1_000;

/** Quarantined messages kept, oldest dropped first. */
export const QUARANTINE_MESSAGES_MAX = 1_000;

/**
 * Other dead letters kept, oldest dropped first. Kept apart from quarantined messages, so that a flood of them does not
 * displace those.
 */
export const DEAD_LETTERS_MAX = 1_000;

/** Default timeout of an ask: OTP's five seconds. */
export const ASK_TIMEOUT_MS = 5_000;

/** Kernel time for which an ask with an id is remembered after its last use, and the longest timeout of an ask. */
export const ASK_WINDOW_MS = 24 * 60 * 60 * 1_000;
export const ASK_MS_MAX = ASK_WINDOW_MS;

/**
 * Asks open or remembered at a time, replies included; beyond it, remembered asks give way, those of the caller with
 * the most first.
 */
export const ASKS_MAX = 100_000;

/** Characters of the id of an ask: a UUID has 36, an effect id some 30. */
export const ASK_ID_CHARS_MAX = 256;

/** Lives that one actor watches, and half as many links: as many as the children that a Boss may have. */
export const MONITORS_PER_ACTOR_MAX = 100_000;

/**
 * Messages from one worker to another that are not acknowledged: as many as a mailbox holds. Beyond it, machines that
 * send there take no further turn, and events sent by effects become dead letters.
 */
export const LINE_MESSAGES_MAX = MAILBOX_MESSAGES_MAX;

/** Workers of one system: each has a connection to each other, and threads beyond the number of cores only cost. */
export const WORKERS_MAX = 64;

/** Host calls that wait for a worker that is being restarted; beyond it they fail with BOSUN_WORKER_DOWN. */
export const WORKER_CALLS_WAITING_MAX = 10_000;

/**
 * Events of one `sendMany` that travel to a worker as one call, so that the calls that wait for a worker have a bound
 * in events too.
 */
export const WORKER_SENDS_PER_CALL_MAX = 1_000;

/**
 * Milliseconds for which a service that is told to end during its start waits for the start, so that it can stop
 * properly.
 */
export const START_HALT_MS = 5_000;

/** Milliseconds for which a system that closes by itself waits for its workers to stop before it terminates them. */
export const WORKER_STOP_MS = 10_000;

/** Groups that one actor is in and names that it holds, together; more belongs in its context. */
export const GROUPS_PER_ACTOR_MAX = 1_000;

/** Characters of the name of a group or of an actor: it becomes part of a key. */
export const GROUP_NAME_CHARS_MAX = 256;

/**
 * Audited orders of administrators, by number and by kernel time; the oldest are dropped first. Some 300 bytes each.
 */
export const AUDIT_RECORDS_MAX = 10_000;
export const AUDIT_MS_MAX = 366 * 24 * 60 * 60 * 1_000;

/** Characters of an order's author, reason and arguments: enough to understand it, not to store data in it. */
export const AUDIT_NAME_CHARS_MAX = 256;
export const AUDIT_REASON_CHARS_MAX = 2_000;
export const AUDIT_ARGUMENTS_CHARS_MAX = 2_000;

/** Records that one trace buffers for a slow reader; the oldest are dropped, and the reader is told how many. */
export const TRACE_RECORDS_MAX = 10_000;

/**
 * Turns of a system that are remembered by name, whether or not anybody traces: as many as five full epochs have, some
 * 4 MB.
 */
export const TRACE_TURNS_MAX = 10_000;

/** Kept turns of one actor: some 10 MB that one call returns at once. */
export const TRACE_KEPT_MAX = 10_000;

/** One of this many kept turns has the whole context; the others have the change, about a tenth of the size. */
export const TRACE_WHOLE_EVERY = 16;

/** Kept turns, or audited orders, that an erasure checks with one epoch, in which it may rewrite all of them. */
export const KEPT_ERASED_AT_ONCE = 256;

/** Unread messages that an inspection lists: the reader wants to know what comes next, not all 10,000. */
export const INSPECTED_MESSAGES_MAX = 20;

/**
 * Delay between two tries to write to a store that failed: short at first, because a full disk is often freed by the
 * program that filled it; and never so long that a person who has made room has to wait noticeably.
 */
export const STORE_RETRY_MS_MIN = 100;
export const STORE_RETRY_MS_MAX = 2_000;

/** Memos of one effect; a loop over more belongs in one checkpoint. */
export const EFFECT_MEMOS_MAX = 1_000;

/** Characters of the name of a memo: it becomes part of a key. */
export const EFFECT_MEMO_NAME_CHARS_MAX = 128;

/** Bytes of one effect's checkpoint and memos together: every recovery reads them whole. */
export const EFFECT_KEPT_BYTES_MAX = 16 * 1024 * 1024;

/** Durable actions of one actor that have not succeeded yet. More means that the service they call is down for good. */
export const DURABLE_ACTIONS_MAX = 10_000;

/**
 * Kernel time for which a session is remembered after its last send: a client that was away for longer may not repeat
 * one.
 */
export const SESSION_WINDOW_MS = 24 * 60 * 60 * 1_000;

/**
 * Sessions remembered at a time: some 100 bytes each on disk and 400 in memory; beyond it, the oldest session of the
 * caller that has the most gives way.
 */
export const SESSIONS_MAX = 100_000;

/**
 * Kernel time after the last use during which a session, a key or an ask does not give way: a client that lost an
 * answer has come back by then. Where all were used this recently, new ones are refused.
 */
export const REPEAT_MS_MIN = 60_000;

/**
 * Records and bytes that the scrubber reads before it pauses: some 0.1 % of one core, at most half a millisecond at a
 * time for small records. A million records are checked in about an hour.
 */
export const SCRUB_RECORDS = 256;
export const SCRUB_BYTES = 64 * 1024;
export const SCRUB_INTERVAL_MS = 1_000;

/** Deaths of the process during one message or effect, after which it is not begun again (P6b). */
export const DEATHS_MAX = 2;

/** Milliseconds for which a run is cautious after one that died: time for clients to repeat unacknowledged requests. */
export const CAUTIOUS_MS = 5_000;

/** Calls of one connection, and of all connections of one caller together: the burst, and the rate per second. */
export const CALLS_BURST = 100;
export const CALLS_PER_SECOND = 50;

/**
 * Milliseconds for which an agent function waits for an answer of the crew: a coordinator with thousands of items may
 * be late without being gone.
 */
export const CREW_ANSWER_MS = 60_000;

/**
 * Consecutive values of an arbitrary that the schema refuses, until it gives up: a test that draws for ever shows
 * nothing.
 */
export const ARBITRARY_REFUSALS_MAX = 10_000;

/** Output kept of one command, per stream: enough for a result or an error report; more belongs in a file. */
export const COMMAND_OUTPUT_BYTES_MAX = 64 * 1024;

/** Time between the first and the final signal to a command that must end. Whole seconds, for `sleep` on any system. */
export const COMMAND_GRACE_MS = 2_000;

/** Processes that a census reads at a time: some 3 ms, then the event loop continues. */
export const CENSUS_SLICE = 32;
