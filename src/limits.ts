/** Every bound of the runtime, its unit in its name, its reason beside it. Each has a test at the bound. */

/** Deeper than any hand-written context seen in practice; msgpack and JSON both break at a few thousand. */
export const VALUE_DEPTH_MAX = 32;

/** One value (a context key, an event, an input). Larger data belongs in a file whose path is in the context. */
export const VALUE_BYTES_MAX = 4 * 1024 * 1024;

/** Characters of a key of a table. Keys are compared at every level of the tree, and stand in every page. */
export const TABLE_KEY_CHARS_MAX = 256;

/** One row of a table, so that a page of 32 rows stays below 2 MiB. What is larger belongs in a file or an actor. */
export const TABLE_ROW_BYTES_MAX = 64 * 1024;

/** Rows of one table. Beyond them: one actor per row, or several actors by key. */
export const TABLE_ROWS_MAX = 100_000;

/** Tables of one context. Each has its own pages, and its own place in every state that is stored. */
export const TABLES_MAX = 16;

/** Rows of a table, and characters of them as JSON, in one view of it; the others are read by page. */
export const TABLE_ROWS_SHOWN = 1_000;
export const TABLE_CHARS_SHOWN = 256 * 1024;

/**
 * Rows that enter an actor at once where its context is given whole: a first turn, a restart, a migration, a replaced
 * state. EPOCH_BYTES_MAX closes the epoch behind it.
 */
export const TABLES_GIVEN_BYTES_MAX = 64 * 1024 * 1024;

/** Unread messages of one actor; a host that sends more gets BOSUN_MAILBOX_FULL. An agent may set a lower bound. */
export const MAILBOX_MESSAGES_MAX = 10_000;

/**
 * Deferred messages of one actor, beside those that it has not looked at: more is work that belongs into a context.
 * They do not take room in the mailbox, or deferring would close the door to the very message that ends it.
 */
export const DEFERRED_MESSAGES_MAX = 1_000;

/** Messages of higher levels that may be taken while one of a lower level waits: one visit of an actor. */
export const PRIORITY_RUN_MAX = 16;

/**
 * Messages one actor may take before others get their turn. 16 kept p99 of quiet actors within 3x beside a busy one.
 */
export const MESSAGES_PER_VISIT = 16;

/**
 * Turns in one epoch: bounds what one sync has to carry, what a crash can undo, and for how long the loop is busy with
 * encoding an epoch. Four milliseconds of turns: many times what a sync takes.
 */
export const TURNS_PER_EPOCH = 2_000;

/**
 * Turns in one epoch that somebody outside waits for, and how many may wait for it. Their answers wait for all of these
 * turns, and the loop is busy with telling everybody: a quarter of the turns, a tenth less throughput, half the delay.
 */
export const TURNS_PER_AWAITED_EPOCH = 500;

/**
 * How long an epoch waits for further turns while there are some to take. What an epoch costs, and what a message costs
 * that is still unread when it ends, is a third of a turn when an epoch has two hundred turns. With nothing more to do
 * it waits for nothing.
 */
export const EPOCH_MS = 4;

/**
 * Of what the turns of one epoch admit, and events of hosts in it: no further turn is taken then. At most two epochs
 * are in memory only, so it bounds what they hold and how long one is written; 16 MiB take a disk of today some 0.1 s.
 */
export const EPOCH_BYTES_MAX = 16 * 1024 * 1024;

/** Of events of hosts that were taken and are not durable; further ones are refused with BOSUN_OVERLOADED. */
export const UNCOMMITTED_BYTES_MAX = 64 * 1024 * 1024;

/**
 * How long an event of a host would wait for its epoch, by the present pace, beyond which it is refused with
 * BOSUN_OVERLOADED.
 */
export const ADMISSION_WAIT_MS_MAX = 10_000;

/**
 * Time in one slice of turns before the event loop gets its chance, which costs some microseconds. Whoever waits for an
 * epoch waits for two of them: until its event is let in, and until it is told.
 */
export const SLICE_MS = 0.5;

/** Deliveries of one message that may crash its agent before it is quarantined (P6). */
export const DELIVERIES_MAX = 3;

/**
 * Messages quarantined in a row, none processed between, that suspend their agent: one may be bad, two speak against
 * its state (P6).
 */
export const QUARANTINES_IN_A_ROW_MAX = 2;

/** Microsteps of one macrostep; more is an endless `always` loop. */
export const MICROSTEPS_MAX = 10_000;

/**
 * Lookups by patterns (`*`, `a.*`) that one state node may remember before it forgets them all. XState remembers every
 * event type for ever; working a lookup out again once in so many costs nothing that can be measured.
 */
export const PATTERN_LOOKUPS_MAX = 1_000;

/**
 * What the plan engine keeps of one definition: positions, selections and microsteps, some 1 KB each. Most machines
 * need some dozens; one of many parallel regions could go on for ever. Whatever finds no room is left to XState.
 */
export const PLANS_MAX = 4_096;

/** Segments of an address, and characters of one segment. */
export const ADDRESS_SEGMENTS_MAX = 16;
export const ADDRESS_SEGMENT_CHARS_MAX = 128;

/**
 * Timers of one actor. A turn that arms more is a loop; a hundred of this size are the ten million that fit into
 * memory.
 */
export const TIMERS_PER_ACTOR_MAX = 100_000;

/**
 * Timers that come up in one slice: as many as there are turns in an epoch, so that a start with a million overdue is
 * no halt.
 */
export const TIMERS_PER_SLICE = 2_000;

/** Schedules of one agent: each is a timer of every one of its actors, looked at on every start. */
export const SCHEDULES_PER_AGENT_MAX = 100;

/**
 * Missed times of a schedule that are counted; finding one costs half a millisecond, so this half a second at a start.
 */
export const SCHEDULE_MISSED_MAX = 1_000;

/** Missed times of a schedule that may get an event each: as many as are counted. */
export const SCHEDULE_CATCH_UP_MAX = 1_000;

/**
 * While a timer with the policy `remaining` is armed, the time is written down this often: how exact it is after a
 * crash.
 */
export const HEARTBEAT_MS = 60_000;

/**
 * Records of children that a start reads for all Bosses together, where it does not read every actor: some 50 ms. The
 * tables of Bosses with more stay on disk until a decision needs them whole, and one that was read is let go when it is
 * larger than this.
 */
export const CHILD_TABLE_ROWS_AT_START = 10_000;

/**
 * Actors looked at for one that may leave memory, beyond as many as are too many: bounds what a crowd of busy ones
 * costs an epoch.
 */
export const RESTING_LOOKS = 256;

/**
 * How far the wall clock may be ahead of the last epoch at a start: systems stand still for months, seldom for years.
 */
export const CLOCK_AHEAD_MS_MAX = 366 * 24 * 60 * 60 * 1_000;

/** Quarantined messages kept, oldest dropped first. */
export const QUARANTINE_MESSAGES_MAX = 1_000;

/**
 * Other dead letters kept, oldest dropped first; apart from the quarantined, which a flood of them must not wash away.
 */
export const DEAD_LETTERS_MAX = 1_000;

/** How long an ask waits that says nothing else: OTP's five seconds. */
export const ASK_TIMEOUT_MS = 5_000;

/** Kernel time for which an ask with an id is remembered after its last use, and the longest that one may wait. */
export const ASK_WINDOW_MS = 24 * 60 * 60 * 1_000;
export const ASK_MS_MAX = ASK_WINDOW_MS;

/** Asks open or remembered at a time, replies included; over it a new one gets BOSUN_ASKS_FULL. */
export const ASKS_MAX = 100_000;

/** Characters of the id of an ask: a UUID has 36, an effect id some 30. */
export const ASK_ID_CHARS_MAX = 256;

/** Lives that one actor watches, and half as many links: as many as a Boss may well have children. */
export const MONITORS_PER_ACTOR_MAX = 100_000;

/**
 * Messages on the line from one worker to another that are not known to be taken: as many as a mailbox holds. Over it
 * machines that send there take no further turn, and what effects send becomes a dead letter.
 */
export const LINE_MESSAGES_MAX = MAILBOX_MESSAGES_MAX;

/** Workers of one system: each has a line to each other, and more threads than cores only cost. */
export const WORKERS_MAX = 64;

/** Calls of the host that wait for a worker which is being started again; over it there is BOSUN_WORKER_DOWN. */
export const WORKER_CALLS_WAITING_MAX = 10_000;

/**
 * Sessions of a gateway over workers whose last number it remembers; of others it asks the workers, which takes a
 * moment.
 */
export const SESSION_QUEUES_MAX = 10_000;

/**
 * After so long a silence of a session it asks again: another gateway may have had it meanwhile, and the workers forget
 * old ones.
 */
export const SESSION_SILENT_MS = 60_000;

/**
 * How much longer than its own time a gateway gives a call of a worker that ends by itself, and knows better what it
 * waited for.
 */
export const WORKER_ANSWER_MS = 1_000;

/** How long a system that closes by itself waits for its workers to stop, before it ends them. */
export const WORKER_STOP_MS = 10_000;

/** Groups that one actor is in and names that it holds, together; more belongs into its context. */
export const GROUPS_PER_ACTOR_MAX = 1_000;

/** Characters of the name of a group or of an actor: it becomes part of a key. */
export const GROUP_NAME_CHARS_MAX = 256;

/**
 * Orders of administrators kept in the audit, by number and by kernel time; the oldest are dropped first. Some 300
 * bytes each.
 */
export const AUDIT_RECORDS_MAX = 10_000;
export const AUDIT_MS_MAX = 366 * 24 * 60 * 60 * 1_000;

/** Characters of who gave an order, why, and what it was given: enough to understand it, not to store by it. */
export const AUDIT_NAME_CHARS_MAX = 256;
export const AUDIT_REASON_CHARS_MAX = 2_000;
export const AUDIT_ARGUMENTS_CHARS_MAX = 2_000;

/** Records that one trace holds for a reader that is behind; the oldest are dropped, and it is told how many. */
export const TRACE_RECORDS_MAX = 10_000;

/**
 * Turns of a system that are remembered by name, whether or not anybody traces: as many as five full epochs have, some
 * 4 MB.
 */
export const TRACE_TURNS_MAX = 10_000;

/** Turns that an agent may have kept in the store for each of its actors: they are read whole by every recovery. */
export const TRACE_KEPT_MAX = 10_000;

/** One kept turn in so many has the whole context; the others have what changed, some tenth of it. */
export const TRACE_WHOLE_EVERY = 16;

/** Failures of one correlation, and of one signature that are remembered. More begin the next one. */
export const CORRELATION_FAILURES_MAX = 500;

/** Unread messages that an inspection names: who looks wants to know what comes next, not all of 10,000. */
export const INSPECTED_MESSAGES_MAX = 20;

/**
 * Between two tries to write to a store that failed: short at first, as a full disk is often emptied by whoever filled
 * it.
 */
export const STORE_RETRY_MS_MIN = 100;
export const STORE_RETRY_MS_MAX = 5_000;

/** Results that one effect may have remembered by name; a loop over more belongs in one checkpoint. */
export const EFFECT_MEMOS_MAX = 1_000;

/** Characters of the name of a remembered result: it becomes part of a key. */
export const EFFECT_MEMO_NAME_CHARS_MAX = 128;

/**
 * What one effect may keep for its later starts, checkpoint and results together: it is read whole by every recovery.
 */
export const EFFECT_KEPT_BYTES_MAX = 16 * 1024 * 1024;

/** Durable actions of one actor that have not been run yet; more means that what they need is down for good. */
export const DURABLE_ACTIONS_MAX = 10_000;

/**
 * Kernel time for which a session is remembered after its last send: a client that was away for longer may not repeat
 * one.
 */
export const SESSION_WINDOW_MS = 24 * 60 * 60 * 1_000;

/**
 * Sessions remembered at a time: some 100 bytes each on disk and 300 in memory; over it new ones get
 * BOSUN_SESSIONS_FULL.
 */
export const SESSIONS_MAX = 100_000;

/**
 * The scrubber reads so many records, or so many bytes, then waits so long: some 0.1 % of one core, at most half a
 * millisecond at a time for small records. A million records are checked in about an hour.
 */
export const SCRUB_RECORDS = 256;
export const SCRUB_BYTES = 64 * 1024;
export const SCRUB_INTERVAL_MS = 1_000;

/** Deaths of the process in the middle of one message or effect, after which it is not begun again (P6b). */
export const DEATHS_MAX = 2;

/** How long a run is cautious after one that died: time for clients to come back with what was not acknowledged. */
export const CAUTIOUS_MS = 5_000;

/**
 * A machine larger than this is generated, and no chart of it is of use to anybody; it also bounds what one request
 * costs.
 */
export const CHART_STATES_MAX = 2_000;
export const CHART_TRANSITIONS_MAX = 10_000;

/** Larger charts are listed, not drawn: nobody follows so many arrows, and their layout takes seconds. */
export const CHART_DRAWN_STATES_MAX = 200;
export const CHART_DRAWN_TRANSITIONS_MAX = 400;

/**
 * A layout that takes longer is given up, and the chart is listed. One within the bounds above takes a second or two.
 */
export const CHART_LAYOUT_MS_MAX = 15_000;

/** Layouts remembered, the least recently used one dropped first: more than a system has agents, some 50 KB each. */
export const CHART_LAYOUTS_KEPT_MAX = 64;

/** Layouts that wait for the one under way; charts beyond are listed at once. */
export const CHART_LAYOUTS_WAITING_MAX = 32;

/** Characters of one line in a chart; the whole text is in its tooltip and its label for screen readers. */
export const CHART_LINE_CHARS_MAX = 44;

/** Lines of one kind in one state; of more, the last says how many there are besides. */
export const CHART_LINES_MAX = 24;
/** One frame of a client, or the body of one of its HTTP requests. Twenty times the largest event seen in practice. */
export const FRAME_BYTES_MAX = 1024 * 1024;

/**
 * Fragments of one frame, and chunks of it that wait: with the defaults of `ws` 2 MB of tiny ones held 37 MB of memory.
 */
export const FRAME_FRAGMENTS_MAX = 256;
export const FRAME_CHUNKS_MAX = 4_096;

/** Values in one frame: a megabyte of empty arrays would be 64 MB in memory. */
export const FRAME_VALUES_MAX = 100_000;

/** Nesting of a frame: an event of VALUE_DEPTH_MAX levels in the parameters of a call. */
export const FRAME_DEPTH_MAX = VALUE_DEPTH_MAX + 4;

/** Characters of the type of an event that a client sends. */
export const EVENT_TYPE_CHARS_MAX = 128;

/** A connection that has not said hello by then is closed: its place may be taken by one that talks. */
export const HELLO_MS = 5_000;

/**
 * A connection that was silent for so long gets a ping, and is closed when it stays silent: proxies drop idle ones
 * after 60 s.
 */
export const PING_EVERY_MS = 25_000;
export const SILENCE_MS_MAX = 35_000;

/**
 * Calls of one connection, and of all connections of one caller together: what they may have saved up, and get each
 * second.
 */
export const CALLS_BURST = 100;
export const CALLS_PER_SECOND = 50;

/** Calls of one connection that are not answered yet. */
export const CALLS_IN_FLIGHT_MAX = 64;

/**
 * Calls of one caller that wait for an actor, those of closed connections among them: they cannot all be taken back.
 */
export const CALLS_WAITING_MAX = 1_000;

/** How long a call may take: a proxy gives up earlier. Who needs longer asks again with the same key. */
export const CALL_MS = 30_000;
export const CALL_MS_MAX = 600_000;

/** Answers remembered for keys of calls that the store keeps no record of; the oldest go first. */
export const KEYED_ANSWERS_MAX = 10_000;

/** Subscriptions of one connection. */
export const SUBSCRIPTIONS_MAX = 128;

/**
 * Connections of one caller, all together, and of those that have not said hello: each costs some 20 KB and a file
 * handle.
 */
export const CONNECTIONS_PER_CALLER_MAX = 20;
export const CONNECTIONS_MAX = 1_000;
export const STRANGERS_MAX = 100;

/** New connections of one network address. */
export const CONNECTS_BURST = 100;
export const CONNECTS_PER_SECOND = 20;

/** Callers and network addresses whose rates are remembered; the one that was silent longest goes first. */
export const RATES_MAX = 10_000;

/**
 * Bytes that wait to be sent to one client: above `high` it is told only the latest, below `low` it is well again, at
 * the last it is closed.
 */
export const OUT_BYTES_LOW = 256 * 1024;
export const OUT_BYTES_HIGH = 1024 * 1024;
export const OUT_BYTES_MAX = 8 * 1024 * 1024;

/** How long a client may be slow before it is closed. */
export const SLOW_MS_MAX = 30_000;

/** Emitted events that are kept for clients that come back, and how many bytes of them. */
export const EVENTS_KEPT_MAX = 4_096;
export const EVENT_BYTES_KEPT_MAX = 16 * 1024 * 1024;

/**
 * Turns whose contents wait for one subscription; of more, names are left. With those a system has at once anyway it is
 * a few MB.
 */
export const TURNS_WHOLE_MAX = 1_000;

/** They are kept for so long after the last one who listened has left. */
export const EVENTS_LINGER_MS = 120_000;

/** Events of one subscription sent in a row, before the others get their turn. */
export const EVENTS_PER_TURN = 64;

/** Frames a second of a topic that has to be worked out anew after every epoch: a tree, the dead letters. */
export const LISTING_HZ = 4;

/** How long a pass is good, which is shown in an address: long enough for a slow page to connect with it. */
export const PASS_MS = 30_000;

/** Passes of one caller that nobody has used yet: more than it may have connections. */
export const PASSES_PER_CALLER_MAX = 100;

/** How long frames are sent in a row before what comes in gets its turn: a tenth of what anybody notices. */
export const PUMP_SLICE_MS = 5;

/** How long before its token expires a client is told. */
export const TOKEN_NOTICE_MS = 60_000;

/** After a close the peer has so long to answer it before its connection is cut. */
export const CLOSE_MS = 1_000;

/** Actors in one answer or frame of a tree or a list. */
export const LISTED_MAX = 10_000;

/**
 * A draining gateway waits so long for calls in flight, then closes connections in batches, so that not all come back
 * at once.
 */
export const DRAIN_MS = 10_000;
export const DRAIN_BATCH = 100;
export const DRAIN_BATCH_MS = 200;

/** How long an HTTP client may take for its headers, and for its whole request. */
export const HTTP_HEADERS_MS = 10_000;
export const HTTP_REQUEST_MS = 30_000;

/** Whom one gate asks, and how often it reminds them: more is a mailing list. */
export const GATE_AUDIENCE_MAX = 100;
export const GATE_REMINDERS_MAX = 100;

/** Orders about one item of a desk that its actor has not answered yet: what comes in the moment of its beginning. */
export const DESK_ORDERS_OPEN_MAX = 16;

/** One order that a desk passes on: it is a row until the item's actor has answered it. */
export const DESK_ORDER_BYTES_MAX = 48 * 1024;

/** An answer to a gate: it is part of the gate's record. What is larger belongs in a file that the answer names. */
export const GATE_ANSWER_BYTES_MAX = 32 * 1024;

/** What holds where nobody answers a gate: the same. */
export const GATE_TIMEOUT_BYTES_MAX = 8 * 1024;

/**
 * Closed gates in the records of their desk, the oldest dropped first: a day's work of many people. Some 500 bytes
 * each.
 */
export const GATES_KEPT_MAX = 1_000;

/** What both sides may say in one debate: more is not recorded. Some 500 bytes each. */
export const DEBATE_CONTRIBUTIONS_MAX = 100;

/**
 * Debates that have ended in the records of their desk, the oldest dropped first: years of precedents. Some kilobytes
 * each.
 */
export const DEBATES_KEPT_MAX = 1_000;

/**
 * Debates that are decided in the record of an item, the oldest dropped first: each task of it is given them. Some 500
 * bytes each.
 */
export const ITEM_DEBATES_KEPT_MAX = 100;

/**
 * Observations of one agent, the oldest dropped first: enough for two years of rolling accuracy. Some 120 bytes each.
 */
export const OBSERVATIONS_PER_AGENT_MAX = 500;

/**
 * Further failures kept in the record of one pause (CA-017). The item's checkpoint names every failed task all the
 * same.
 */
export const PAUSE_FAILURES_MAX = 100;

/** Plans by which resuming one item failed that are kept at once (CA-030): enough to see a pattern, the latest ones. */
export const FAILED_PLANS_MAX = 10;
