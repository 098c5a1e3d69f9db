/** Bounds of the gateway and its clients; those of the runtime are in src/limits.ts. */
import { VALUE_DEPTH_MAX } from '../limits.ts';

/** Rows of a table in one view, and characters of all tables of one view as JSON; the others are read by page. */
export const TABLE_ROWS_SHOWN = 1_000;
export const TABLE_CHARS_SHOWN = 256 * 1024;

/** Characters of records as JSON in one answer; further records are read by page. */
export const RECORD_CHARS_SHOWN = 256 * 1024;

/**
 * Sessions whose last number a gateway over workers remembers; for others it asks the workers, which takes a round
 * trip.
 */
export const SESSION_QUEUES_MAX = 10_000;

/**
 * Silence of a session after which the gateway asks the workers again: the session may have used another gateway
 * meanwhile, and the workers forget old sessions.
 */
export const SESSION_SILENT_MS = 60_000;

/**
 * Extra time that a gateway gives a worker's call beyond the call's own deadline, since the worker reports the timeout
 * more precisely.
 */
export const WORKER_ANSWER_MS = 1_000;

/**
 * Size of a machine above which it has no chart: such machines are generated and their charts useless; this also bounds
 * the cost of one request.
 */
export const CHART_STATES_MAX = 2_000;
export const CHART_TRANSITIONS_MAX = 10_000;

/**
 * States of the largest chart that is drawn. A larger one is listed: so many arrows cannot be followed, and their
 * layout takes seconds.
 */
export const CHART_DRAWN_STATES_MAX = 200;
export const CHART_DRAWN_TRANSITIONS_MAX = 400;

/** Time after which a layout is given up and the chart is listed. A layout within the bounds above takes 1 to 2 s. */
export const CHART_LAYOUT_MS_MAX = 15_000;

/** Layouts in the cache; the least recently used is dropped first. More than a system has agents, some 50 KB each. */
export const CHART_LAYOUTS_KEPT_MAX = 64;

/** Layouts that wait for the one under way; further charts are listed at once. */
export const CHART_LAYOUTS_WAITING_MAX = 32;

/** Characters of one line in a chart; the full text is in its tooltip and its label for screen readers. */
export const CHART_LINE_CHARS_MAX = 44;

/** Lines of one kind in one state; if there are more, the last line says how many. */
export const CHART_LINES_MAX = 24;
/**
 * Bytes of one frame of a client, or of the body of an HTTP request: twenty times the largest event seen in practice.
 */
export const FRAME_BYTES_MAX = 1024 * 1024;

/**
 * Fragments of one frame, and chunks of it that wait: with the defaults of `ws`, 2 MB of tiny ones held 37 MB of
 * memory.
 */
export const FRAME_FRAGMENTS_MAX = 256;
export const FRAME_CHUNKS_MAX = 4_096;

/** Values in one frame: a megabyte of empty arrays would take 64 MB of memory. */
export const FRAME_VALUES_MAX = 100_000;

/** Nesting depth of a frame: an event of VALUE_DEPTH_MAX levels inside the parameters of a call. */
export const FRAME_DEPTH_MAX = VALUE_DEPTH_MAX + 4;

/** Characters of the type of an event sent by a client. */
export const EVENT_TYPE_CHARS_MAX = 128;

/** Time within which a connection must say hello before it is closed to free its place. */
export const HELLO_MS = 5_000;

/**
 * Silence after which a connection gets a ping, and total silence after which it is closed: proxies drop idle
 * connections after 60 s.
 */
export const PING_EVERY_MS = 25_000;
export const SILENCE_MS_MAX = 35_000;

/** Unanswered calls of one connection. */
export const CALLS_IN_FLIGHT_MAX = 64;

/**
 * Calls of one caller that wait for an actor, including those of closed connections: not all of them can be cancelled.
 */
export const CALLS_WAITING_MAX = 1_000;

/** Events of one `actor.sendMany`: as many as one caller may have under way at all. */
export const SENDS_PER_CALL_MAX = CALLS_WAITING_MAX;

/**
 * Default and longest deadline of a call. Proxies give up earlier; clients that need longer repeat the call with the
 * same key.
 */
export const CALL_MS = 30_000;
export const CALL_MS_MAX = 600_000;

/**
 * Longest and default time limit of an MCP tool. Hosts of MCP end a call after 60 s; the difference covers transport,
 * and a gateway over workers.
 */
export const TOOL_MS_MAX = 48_000;
export const TOOL_MS = 45_000;

/** Calls of tools: of one agent within a second and within a minute, and of all agents within a minute (MX-121). */
export const TOOL_CALLS_PER_SECOND = 10;
export const TOOL_CALLS_PER_MINUTE = 100;
export const TOOL_CALLS_PER_MINUTE_OF_ALL = 500;

/** Tools that are listed if the client names no profile. Models choose worse among more, and each costs tokens. */
export const TOOLS_LISTED_MAX = 12;

/** Characters of the key of a tool's call: those of the header Idempotency-Key. */
export const TOOL_KEY_CHARS_MAX = 256;

/**
 * Remembered answers of keyed calls that the store does not keep. Beyond it, answers of the caller with the most are
 * dropped.
 */
export const KEYED_ANSWERS_MAX = 10_000;

/**
 * Subscriptions of one connection: pages watch thousands of actors, and a caller has few connections. One costs 1 to
 * 2 KB of heap and some 30 microseconds to open, and nothing until its topic changes, so all are less than what may
 * wait to be sent to one client.
 */
export const SUBSCRIPTIONS_MAX = 4_096;

/**
 * Connections of one caller, of all callers, and of clients that have not said hello: each costs some 20 KB and a file
 * handle. If too many have not said hello, the oldest from the address that has the most is closed.
 */
export const CONNECTIONS_PER_CALLER_MAX = 20;
export const CONNECTIONS_MAX = 1_000;
export const STRANGERS_MAX = 100;

/**
 * Sockets of unidentified clients, and sockets that carry callers' HTTP requests, half-open and idle ones included.
 * Each costs a file handle and some 10 KB. Beyond, the oldest of the address, or of the caller, that has the most is
 * closed.
 */
export const STRANGER_SOCKETS_MAX = 2 * STRANGERS_MAX;
export const CALLER_SOCKETS_MAX = CONNECTIONS_MAX;

/** New connections of one network address. */
export const CONNECTS_BURST = 100;
export const CONNECTS_PER_SECOND = 20;

/**
 * Rows read for one caller: actors, children, waits, dead letters, turns, records, results and orders, shown or not.
 * Burst, and refill per second. A row of a tree takes some 5 microseconds, so one caller uses at most a twentieth of
 * the event loop by reading.
 */
export const LOOKED_BURST = 20_000;
export const LOOKED_PER_SECOND = 10_000;

/** Callers and network addresses whose rates are remembered; the one unused for longest is dropped first. */
export const RATES_MAX = 10_000;

/**
 * Bytes waiting to be sent to one client. Above `high` it receives only latest states, below `low` it receives
 * everything again, above `max` it is closed.
 */
export const OUT_BYTES_LOW = 256 * 1024;
export const OUT_BYTES_HIGH = 1024 * 1024;
export const OUT_BYTES_MAX = 8 * 1024 * 1024;

/** Milliseconds for which a client may be slow before it is closed. */
export const SLOW_MS_MAX = 30_000;

/** Emitted events kept for clients that reconnect, and their bytes. */
export const EVENTS_KEPT_MAX = 4_096;
export const EVENT_BYTES_KEPT_MAX = 16 * 1024 * 1024;

/**
 * Turns whose contents wait for one subscription; of further turns only names are kept. With the turns that a system
 * has at once anyway this is a few MB.
 */
export const TURNS_WHOLE_MAX = 1_000;

/** Milliseconds for which events are kept after the last listener has left. */
export const EVENTS_LINGER_MS = 120_000;

/** Events of one subscription sent in a row before other subscriptions get their turn. */
export const EVENTS_PER_TURN = 64;

/** Frames per second of a topic that must be recomputed after every epoch: a tree, the dead letters. */
export const LISTING_HZ = 4;

/**
 * Milliseconds for which a pass is valid: short, because it appears in a URL, and long enough for a slow page to
 * connect.
 */
export const PASS_MS = 30_000;

/**
 * Seconds for which a browser remembers a preflight: as many as Chromium keeps at most. It grants nothing, since every
 * request is admitted anew.
 */
export const PREFLIGHT_SECONDS = 7_200;

/** Unused passes of one caller: more than it may have connections. */
export const PASSES_PER_CALLER_MAX = 100;

/**
 * Milliseconds for which frames are sent in a row before incoming data gets its turn: a tenth of what people notice.
 */
export const PUMP_SLICE_MS = 5;

/** Milliseconds before the expiry of its token at which a client is notified. */
export const TOKEN_NOTICE_MS = 60_000;

/** Milliseconds that a peer may take to answer a close before its connection is cut. */
export const CLOSE_MS = 1_000;

/** The most actors that a watched tree shows, and the most dead letters in one answer. */
export const LISTED_MAX = 10_000;

/**
 * Connections that the operating system accepts before the gateway has looked at them. A client beyond them is not
 * answered and retries after a second; Node's default of 511 is too few for a burst.
 */
export const ACCEPT_BACKLOG = 4_096;

/** Actors in one page of a list or of a tree: some 250 KB as JSON, written in some 2 ms. */
export const ACTORS_PAGE_MAX = 1_000;

/**
 * Actors in one frame of a watched tree: fewer than in a requested page, since the gateway also compares a frame with
 * the data that the client has.
 */
export const TREE_PAGE = 500;

/**
 * Cost of one slice of collecting a page of actors before other work gets its turn. An actor that is skipped costs 1
 * (some 0.5 microseconds), one that is shown costs 10. So a slice takes some 1 ms, however many actors there are.
 */
export const PAGE_SLICE = 2_000;
export const SHOWN_ACTOR_COST = 10;

/**
 * Actors that one page looks at, where most do not fit: half of what a caller may look at in a row, and as many as for
 * a page of records. The next page goes on there.
 */
export const ACTORS_EXAMINED_MAX = LOOKED_BURST / 2;

/**
 * Milliseconds for which a draining gateway waits for calls in flight. It then closes connections in batches, so that
 * clients do not all reconnect at once.
 */
export const DRAIN_MS = 10_000;
export const DRAIN_BATCH = 100;
export const DRAIN_BATCH_MS = 200;

/** Milliseconds that an HTTP client may take for its headers, and for its whole request. */
export const HTTP_HEADERS_MS = 10_000;
export const HTTP_REQUEST_MS = 30_000;
