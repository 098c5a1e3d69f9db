/**
 * House rules as a test: layers, cycles, names, sizes, banned calls. It reads sources with the TypeScript compiler and
 * runs none of them. A rule is loosened here, with a reason, or not at all.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../src/error-codes.ts';
import { LONG_FILES } from './support/effort.ts';
import { repositoryFile, repositoryFolder } from './support/repository-files.ts';
import { headlessTitles } from './support/titles.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Lines that `npm run mutate` can try in less than an hour. */
const MUTATED_LINES_MAX = 3_000;

interface Layer {
  /** Prefixes of the files of src that it may import, beside its own. */
  readonly files: readonly string[];
  /** The same, for types alone. */
  readonly types?: readonly string[];
  /** Packages and parts of Node that it may import. */
  readonly packages: readonly string[];
}

/** Files that know nothing of Bosun but its errors and its bounds. */
const LEAVES = [
  'src/assert.ts',
  'src/backoff.ts',
  'src/checksum.ts',
  'src/closed-object.ts',
  'src/clock.ts',
  'src/closing.ts',
  'src/error-codes.ts',
  'src/errors.ts',
  'src/fair-shares.ts',
  'src/lending.ts',
  'src/limits.ts',
  'src/log.ts',
  'src/near-names.ts',
  'src/needed-versions.ts',
  'src/option-rules.ts',
  'src/plain-text.ts',
  'src/runtime-check.ts',
  'src/sealed-values.ts',
  'src/stack.ts',
  'src/table.ts',
  'src/text-bytes.ts',
  'src/tree.ts',
  'src/unfreezable.ts',
  'src/user-code.ts',
  'src/user-schema.ts',
  'src/whole-tables.ts',
];

/** The parts of the kernel that agents are written with, which is all that supervisor and machines know of it. */
const PUBLIC_KERNEL = [
  'src/actors/model/address.ts',
  'src/actors/model/agent.ts',
  'src/actors/api/define-agent.ts',
  'src/actors/model/person.ts',
  'src/actors/model/ref.ts',
  'src/actors/model/talk-actions.ts',
];

/** The protocol between the kernel and Bosses. */
const SUPERVISION = 'src/actors/model/supervision.ts';

/** The way from any thrown or given value to one that may be kept, for code that runs functions of a host. */
const ADMISSION = ['src/actors/model/thrown.ts', 'src/actors/model/value-check.ts'];

/** Lines of numbered sends and their outcomes: one class for the kernel, the gateway and a worker. */
const SEND_LINES = 'src/actors/world/mailbox/inbound.ts';

/** Interfaces that an adapter implements, and the one function that memory and disk share. */
const PORTS = ['src/actors/model/ports.ts', 'src/actors/model/state.ts'];

/** design: "The house". A new edge needs a decision record. */
const LAYERS: Readonly<Record<string, Layer>> = {
  'src/*': { files: LEAVES, packages: ['node:zlib', 'node:os'] },
  'src/closed-object.ts': { files: LEAVES, packages: ['zod'] },
  'src/needed-versions.ts': { files: [], packages: ['node:module'] },
  'src/user-schema.ts': { files: LEAVES, packages: ['zod'] },
  // croner for calendar.ts only: planned times have no second implementation, so a port would have one adapter.
  // util: whether an object is a proxy, which nothing else can tell. module: which copy of XState a user has.
  'src/actors': {
    files: LEAVES,
    packages: [
      'node:async_hooks',
      'node:diagnostics_channel',
      'node:util',
      'node:module',
      'xstate',
      'zod',
      'croner',
      'node:crypto',
    ],
  },
  'src/supervisor': { files: [...PUBLIC_KERNEL, SUPERVISION, ...LEAVES], packages: ['xstate', 'zod'] },
  // simple-statistics for trend.ts only: a regression need not be written again. minisearch for retrieval.ts only.
  // tokenx: sizes of texts for models.
  'src/machines': {
    files: [...PUBLIC_KERNEL, ...LEAVES],
    packages: [
      'xstate',
      'zod',
      'graphology',
      'graphology-dag',
      'simple-statistics',
      'stemmer',
      'tokenx',
      'node:crypto',
    ],
  },
  'src/persistence': {
    files: [...PORTS, ...LEAVES],
    packages: ['level', 'msgpackr', 'node:crypto', 'node:fs', 'node:path'],
  },
  // elkjs, a thread and a hash for charts of machines, whose layout must not block the kernel.
  // perf_hooks: how late the event loop was. fs and zlib: the page that the build has made. path: the file by which the
  // command line finds a gateway.
  'src/gateway': {
    files: [
      'src/actors/api/',
      ...PUBLIC_KERNEL,
      SUPERVISION,
      ...ADMISSION,
      SEND_LINES,
      // The ways in which actors end, and places among their ends: cursors of pages of runs.
      'src/actors/model/results.ts',
      // The fields that nobody is shown. The kernel conceals them in the store by the same rules.
      'src/actors/model/secret.ts',
      // The error for a dead letter that a caller may not see is that for one that is not there.
      'src/actors/world/mailbox/dead-letter.ts',
      // Names of guards and actions for charts: beside the only contact with XState's inside.
      'src/actors/xstate/names.ts',
      // The kernel that it is in front of, and rows of its lists.
      'src/shard.ts',
      'src/system-options.ts',
      ...LEAVES,
    ],
    // The shapes of turns, of what they change, and of orders that are audited, all of which it shows.
    types: ['src/actors/model/state.ts', 'src/actors/model/trace-record.ts', 'src/actors/world/audit-record.ts'],
    packages: [
      'ws',
      'zod',
      'jose',
      '@modelcontextprotocol/server',
      'xstate',
      'elkjs',
      'node:http',
      'node:net',
      'node:stream',
      'node:crypto',
      'node:fs',
      'node:module',
      'node:path',
      'node:worker_threads',
      'node:perf_hooks',
      'node:zlib',
    ],
  },
  // Threads are this folder's affair alone; system.ts makes it, and its thread makes a System.
  'src/workers': {
    files: [
      'src/actors/api/',
      ...PUBLIC_KERNEL,
      ...ADMISSION,
      SEND_LINES,
      // Events are admitted before they cross to another thread, and come from a host there too.
      'src/actors/model/event-check.ts',
      'src/actors/world/mailbox/message.ts',
      // The rule by which an address has a shard.
      'src/actors/model/placement.ts',
      // The tree that is spread, and intensity, by which threads are restarted as children are.
      'src/supervisor/child-spec.ts',
      'src/supervisor/intensity.ts',
      'src/supervisor/partition.ts',
      // Calls between threads are bytes of the store's codec, and each thread opens its own store.
      'src/persistence/format/codec.ts',
      'src/persistence/store/level-store.ts',
      'src/shard.ts',
      'src/shards.ts',
      'src/system-calls.ts',
      'src/system-merge.ts',
      'src/system-options.ts',
      ...LEAVES,
    ],
    // The port of the link between shards, which is a channel of messages between threads here.
    types: ['src/actors/model/wire.ts'],
    packages: ['xstate', 'node:path', 'node:worker_threads'],
  },
  'src/client': {
    files: [
      'src/gateway/protocol/',
      'src/error-codes.ts',
      'src/errors.ts',
      'src/log.ts',
      'src/option-rules.ts',
      'src/user-code.ts',
    ],
    packages: ['@xstate/store'],
  },
  // In browsers only. Its dependencies are bundled, so that users do not need them.
  'src/inspector': {
    files: [
      'src/client/',
      'src/gateway/charts/active.ts',
      'src/gateway/protocol/window-page.ts',
      'src/machines/people/gates/gate-name.ts',
      'src/machines/people/gates/gate-order.ts',
    ],
    // The desks show data of the machines: only their types are imported, so that none is written twice.
    types: [
      'src/crew-delivery.ts',
      'src/crew-gates.ts',
      'src/crew-hub-looks.ts',
      'src/crew-procedures.ts',
      'src/gateway/charts/drawing.ts',
      'src/gateway/protocol/',
      'src/machines/agents/',
      'src/machines/answers/',
      'src/machines/coordination/',
      'src/machines/delivery/',
      'src/machines/hub/',
      'src/machines/people/',
      'src/machines/rules/',
      'src/machines/work/',
    ],
    packages: ['preact', '@preact/signals'],
  },
  // OpenTelemetry's API is an optional peer: users without a provider do not need it.
  'src/telemetry': {
    files: ['src/actors/model/address.ts', 'src/system.ts', ...LEAVES],
    // Spans are made of turns, and those of sessions of their records.
    types: [
      'src/actors/model/trace-record.ts',
      'src/actors/world/actor-view.ts',
      'src/machines/hub/handoff.ts',
      'src/machines/hub/hub-desk.ts',
      'src/machines/hub/session-records.ts',
    ],
    packages: ['@opentelemetry/api'],
  },
  'src/testing': {
    files: [
      'src/actors/',
      'src/supervisor/',
      'src/machines/',
      'src/persistence/',
      'src/gateway/',
      'src/client/',
      'src/workers/',
      'src/shard.ts',
      'src/shards.ts',
      'src/system.ts',
      'src/system-options.ts',
      'src/system-rules.ts',
      ...LEAVES,
    ],
    // For simulations: turns from the first one on, tokens in one line, and a corpus that is committed.
    packages: [
      'xstate',
      'zod',
      'fast-check',
      'node:assert',
      'node:diagnostics_channel',
      'node:fs',
      'node:path',
      'node:zlib',
    ],
  },
  // The context of an effect, and nothing else of the kernel: a spoke is a promise of the user's code. The shape of a
  // report is that of the machines that judge it; sax, tap-parser and zod read reports.
  'src/spokes': {
    files: ['src/machines/hub/report.ts', ...LEAVES],
    types: PUBLIC_KERNEL,
    packages: [
      'node:child_process',
      'node:fs',
      'node:net',
      'node:stream',
      'node:path',
      'node:url',
      'node:util',
      'sax',
      'tap-parser',
      'zod',
    ],
  },
  // Folders to evidence, in a thread: the shape of evidence is that of the machines that judge it. child_process for
  // git's list of files alone.
  'src/knowledge': {
    files: ['src/machines/answers/evidence.ts', ...LEAVES],
    packages: [
      'minisearch',
      'ignore',
      'tinyglobby',
      'tokenx',
      'node:child_process',
      'node:fs',
      'node:path',
      'node:worker_threads',
    ],
  },
  // The client of MCP is an optional peer: users without agents that are tools of MCP servers do not need it.
  'src/cli': {
    files: ['src/'],
    packages: ['commander', 'yaml', 'jiti', 'pino', 'xstate', 'zod', 'node:', '@modelcontextprotocol/client'],
  },
  // The composition root, and the list of what users may import.
  'src/system.ts': {
    files: [
      'src/actors/',
      'src/supervisor/',
      'src/machines/',
      'src/persistence/',
      'src/gateway/',
      'src/workers/',
      'src/shard.ts',
      'src/shards.ts',
      'src/system-',
      ...LEAVES,
    ],
    packages: ['xstate'],
  },
  'src/shard.ts': {
    files: ['src/actors/', 'src/supervisor/', 'src/persistence/', 'src/system-', ...LEAVES],
    packages: ['xstate'],
  },
  'src/shards.ts': { files: ['src/actors/', 'src/shard.ts', 'src/system-', ...LEAVES], packages: [] },
  'src/system-calls.ts': {
    files: ['src/actors/', 'src/supervisor/', 'src/shard.ts', 'src/system-', ...LEAVES],
    packages: ['xstate'],
  },
  'src/system-handles.ts': {
    files: ['src/actors/', 'src/supervisor/', 'src/shards.ts', 'src/system-', ...LEAVES],
    packages: ['xstate'],
  },
  'src/system-spawn.ts': {
    files: ['src/actors/', 'src/supervisor/', 'src/system-options.ts', ...LEAVES],
    packages: ['xstate'],
  },
  'src/system-merge.ts': { files: ['src/system-options.ts'], packages: [] },
  // The list of what hosts of a crew may import.
  'src/crew.ts': {
    files: ['src/knowledge/', 'src/machines/answers/', 'src/machines/work/', 'src/crew-', ...LEAVES],
    packages: [],
  },
  // The crew with its work: functions of a host, which wait, and machines, which only decide.
  'src/crew-plan.ts': {
    files: [
      'src/actors/',
      'src/machines/',
      'src/supervisor/',
      'src/crew-work.ts',
      'src/crew-places.ts',
      'src/crew-agents.ts',
      ...LEAVES,
    ],
    packages: ['xstate', 'zod'],
  },
  'src/crew-places.ts': { files: [], packages: [] },
  'src/crew-time-limit.ts': { files: LEAVES, packages: [] },
  'src/crew-webhook.ts': { files: ['src/machines/', ...LEAVES], packages: ['node:crypto', 'zod'] },
  // A whole system for a host. util: whether two tasks of one id are the same.
  'src/crew-host.ts': {
    files: [
      'src/actors/',
      'src/machines/',
      'src/supervisor/',
      'src/shard.ts',
      'src/system.ts',
      'src/system-options.ts',
      'src/crew-plan.ts',
      'src/crew-places.ts',
      'src/crew-setup.ts',
      ...LEAVES,
    ],
    packages: ['zod', 'node:util'],
  },
  'src/crew-setup.ts': {
    files: ['src/actors/', 'src/machines/', 'src/supervisor/', 'src/system-options.ts', 'src/crew-plan.ts', ...LEAVES],
    packages: ['xstate', 'zod'],
  },
  // The registry of agents with its procedures: they wait for reads, and its machine only decides.
  'src/crew-agents.ts': {
    files: [
      'src/actors/',
      'src/machines/agents/',
      'src/machines/limits.ts',
      'src/supervisor/',
      'src/crew-catalogue.ts',
      ...LEAVES,
    ],
    packages: ['zod'],
  },
  'src/crew-catalogue.ts': { files: ['src/machines/agents/', ...LEAVES], packages: ['zod'] },
  'src/crew-work.ts': {
    files: [
      'src/actors/',
      'src/machines/',
      'src/crew-voice.ts',
      'src/crew-places.ts',
      'src/crew-time-limit.ts',
      ...LEAVES,
    ],
    packages: ['xstate'],
  },
  'src/crew-procedures.ts': {
    files: ['src/actors/', 'src/machines/', 'src/crew-gates.ts', 'src/crew-tickets.ts', ...LEAVES],
    packages: ['zod'],
  },
  'src/crew-gates.ts': { files: ['src/actors/', 'src/machines/', ...LEAVES], packages: ['zod'] },
  'src/crew-tickets.ts': { files: ['src/actors/', 'src/machines/', ...LEAVES], packages: ['zod'] },
  'src/crew-answers.ts': {
    files: ['src/actors/', 'src/machines/', 'src/crew-answer-changes.ts', 'src/crew-answer-orders.ts', ...LEAVES],
    packages: ['zod'],
  },
  'src/crew-answer-changes.ts': {
    files: ['src/actors/', 'src/machines/', 'src/crew-answer-orders.ts', ...LEAVES],
    packages: ['zod'],
  },
  'src/crew-answer-orders.ts': { files: ['src/actors/', 'src/machines/', ...LEAVES], packages: ['zod'] },
  'src/crew-delivery.ts': {
    files: ['src/actors/', 'src/machines/', 'src/crew-answer-orders.ts', ...LEAVES],
    packages: ['zod'],
  },
  // Waits for runs of hubs in the same system.
  'src/crew-delivery-sessions.ts': { files: ['src/machines/', 'src/system.ts', ...LEAVES], packages: ['zod'] },
  // Runs the tests of a repository, and asks what is known of it.
  'src/crew-delivery-checks.ts': {
    files: ['src/knowledge/', 'src/machines/', 'src/spokes/', ...LEAVES],
    packages: ['node:path'],
  },
  'src/crew-hub.ts': {
    files: ['src/actors/', 'src/machines/', 'src/supervisor/', 'src/crew-hub-places.ts', ...LEAVES],
    packages: ['xstate', 'zod'],
  },
  'src/crew-hub-places.ts': { files: ['src/actors/', 'src/machines/', ...LEAVES], packages: ['xstate'] },
  'src/crew-hub-caller.ts': { files: ['src/actors/', 'src/machines/', ...LEAVES], packages: [] },
  'src/crew-hub-memory.ts': {
    files: ['src/actors/', 'src/machines/', 'src/crew-hub-caller.ts', ...LEAVES],
    packages: ['zod'],
  },
  'src/crew-hub-looks.ts': { files: ['src/actors/', 'src/machines/', ...LEAVES], packages: ['zod'] },
  // Issues tokens, which the gateway takes.
  'src/crew-hub-sessions.ts': {
    files: [
      ...['src/actors/', 'src/machines/', 'src/gateway/callers/grants.ts', 'src/crew-hub-caller.ts'],
      ...['src/crew-hub-memory.ts', ...LEAVES],
    ],
    packages: ['zod'],
  },
  'src/crew-voice.ts': { files: ['src/actors/', 'src/machines/', ...LEAVES], packages: ['zod'] },
  // Its parts.
  'src/system-agents.ts': {
    files: ['src/actors/', 'src/supervisor/', 'src/system-options.ts', ...LEAVES],
    packages: ['xstate'],
  },
  'src/system-tree.ts': { files: ['src/actors/', 'src/supervisor/', 'src/system-options.ts', ...LEAVES], packages: [] },
  'src/system-check.ts': { files: ['src/actors/', 'src/shard.ts', 'src/system-options.ts'], packages: [] },
  'src/system-store.ts': {
    files: ['src/actors/', 'src/persistence/', 'src/system-options.ts', ...LEAVES],
    packages: [],
  },
  'src/system-rules.ts': {
    files: [
      'src/actors/',
      'src/supervisor/',
      'src/persistence/',
      'src/workers/options.ts',
      'src/system-options.ts',
      ...LEAVES,
    ],
    packages: [],
  },
  'src/system-shard.ts': { files: ['src/actors/', 'src/supervisor/', ...LEAVES], packages: [] },
  'src/system-options.ts': {
    files: ['src/actors/', 'src/supervisor/', 'src/persistence/', ...LEAVES],
    packages: ['xstate'],
  },
  'src/index.ts': {
    files: [
      'src/actors/',
      'src/supervisor/',
      'src/persistence/',
      'src/workers/',
      'src/system.ts',
      'src/system-handles.ts',
      'src/system-check.ts',
      'src/system-options.ts',
      ...LEAVES,
    ],
    packages: [],
  },
};

/** Folders of src/actors, lowest first. */
const KERNEL_LAYERS = ['model', 'xstate', 'world', 'turn', 'loop', 'api'];

/** Folders of src/gateway, lowest first. */
const GATEWAY_LAYERS = [
  'protocol',
  'callers',
  'charts',
  'health',
  'topics',
  'calls',
  'mcp',
  'workers',
  'client',
  'stately',
  'network',
];

/** Folders of src/persistence, lowest first. */
const PERSISTENCE_LAYERS = ['format', 'store', 'journal', 'upkeep'];

/** Folders of src/cli, lowest first. */
const CLI_LAYERS = [
  'files',
  'store',
  'reach',
  'system',
  'desks',
  'run',
  'serve',
  'agents',
  'sessions',
  'answers',
  'delivery',
  'hubs',
];

/** Files of src/cli that join its folders; the others beside them are shared by all folders, and import none. */
const CLI_JOINTS = ['src/cli/main.ts', 'src/cli/command-line.ts'];

/** Folders of src/machines on which others are built, with the folders on which they are built. */
const FOUNDATIONS: Readonly<Record<string, readonly string[]>> = {
  people: ['rules', 'work'],
  work: ['rules'],
  rules: [],
};

const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 60;

/** As .editorconfig and biome.json say. The formatter leaves wider what it cannot break: titles, texts, patterns. */
const LINE_COLUMNS_MAX = 120;

/** Files (`path`) and functions (`path#name`) that may be longer: up to how many lines, and why. */
const LONG: Readonly<Record<string, { readonly lines: number; readonly because: string }>> = {
  'src/actors/loop/kernel.ts': {
    lines: 430,
    because: 'the loop: what begins an epoch, writes it, lets it out and ends a run is read in one place',
  },
};

const CODE_ENDINGS = ['.ts', '.tsx', '.mjs', '.js'];

/** Files that import each other in a circle, types counted, are read together: so many a head can hold. */
const KNOT_FILES_MAX = 10;

interface Ban {
  readonly name: string;
  /** Expressions of globals as they are written, and modules of Node. */
  readonly what: readonly string[];
  /** Prefixes of the files that may use them. */
  readonly home: readonly string[];
  readonly because: string;
}

const BANS: readonly Ban[] = [
  {
    name: 'the clock',
    what: [
      'Date.now',
      'new Date()',
      'performance.now',
      'setTimeout',
      'setInterval',
      'setImmediate',
      'timers',
      'timers/promises',
    ],
    // Client and page run in browsers, where src/clock.ts does not.
    home: ['src/clock.ts', 'src/client/platform.ts', 'src/inspector/time.ts'],
    because: 'time comes from the Clock port, or no test can hold it',
  },
  {
    name: 'chance',
    what: ['Math.random'],
    home: ['src/shard.ts', 'src/client/platform.ts'],
    because: 'it comes from the Random port',
  },
  {
    name: 'the console',
    what: ['console'],
    home: ['src/cli/', 'src/shard.ts', 'src/client/platform.ts'],
    because: 'a library does not talk; two files have the default of the option `log`',
  },
  {
    name: 'the process',
    what: ['process'],
    home: [
      'src/cli/',
      'src/persistence/store/level-store.ts',
      'src/actors/world/crash-loop-guard.ts',
      'src/gateway/network/announcement.ts',
      'src/knowledge/reader.ts',
      'src/spokes/',
      'src/workers/thread.ts',
      'src/needed-versions.ts',
    ],
    because:
      'a library leaves its process alone; the store names the holder of its lock by the process id, caution ' +
      'watches it die, processes of commands are told from it, the thread of a worker hears of forgotten promises, ' +
      'git is called without the variables of another git, and the check of versions names that of Node',
  },
];

/** Bans in tests and their support, whose results depend neither on the speed of the machine nor on luck. */
const BANS_IN_TESTS: readonly Ban[] = [
  {
    name: 'the clock',
    what: [
      'Date.now',
      'new Date()',
      'performance.now',
      'process.hrtime',
      'setTimeout',
      'setInterval',
      'timers/promises',
      'Atomics.wait',
    ],
    // Faults that simulations find, planted in agents, and reads of the clock that they refuse.
    home: ['test/support/until.ts', 'test/simulation/planted/', 'test/simulation/properties.test.ts'],
    because: 'a test waits for events and conditions or drives a virtual clock, and asserts no time that passes',
  },
  {
    name: 'processor time',
    what: ['process.cpuUsage', 'process.resourceUsage'],
    home: ['test/support/processor-time.ts'],
    because: 'it grows where cores are shared, and is worth something only beside a reference',
  },
  {
    name: 'chance',
    what: ['Math.random', 'randomBytes', 'randomInt', 'randomUUID', 'crypto.getRandomValues'],
    home: ['test/support/chance.ts', 'test/simulation/properties.test.ts'],
    because: 'it comes from BOSUN_SEED, which replays it',
  },
];

/** Seeds that are written down, but beside steps that are too, and ports that another process may have. */
const LITERAL_LUCK = /new SeededRandom\(\d|\bseed: \d+\b(?!, steps)|\.listen\([1-9]/;

/**
 * The homes of the first letters of store keys: those of keyspaces in one file, those of the store itself in the
 * other. The last file has keys for the order of any store, which are not keys of Bosun.
 */
const LETTERS_AT_HOME = [
  'src/actors/model/ports.ts',
  'src/persistence/format/keys.ts',
  'src/testing/store-conformance.ts',
];

/** A docstring that begins without its noun (docs/style.md). */
const HEADLESS = new RegExp(
  String.raw`/\*\*\s+(?:\*\s+)?(?:Of|Whoever|Those|That which|By|So|After so|For how` +
    String.raw`|Whom?|Whose|What|Neither|Since|It|As of|Told)\b`,
  'g',
);

/** A docstring that is a tag alone. */
const TAG_ALONE = /\/\*\*\s+(?:\*\s+)?@(?:param|returns|throws)/g;

/** Names that say nothing about the contents of a file. */
const EMPTY_NAMES = /(^|[-.])(utils?|helpers?|common|types?|misc)$/;

interface Import {
  readonly from: string;
  /** A file of this repository, or a package. */
  readonly to: string;
  /** `import type`: leaves nothing in the emitted code. `import { type X }` does leave an import, of nothing. */
  readonly isErased: boolean;
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  readonly nodes: readonly ts.Node[];
  readonly imports: readonly Import[];
}

const src = [...sourcesUnder('src'), ...sourcesUnder('src', '.tsx')];
const imports = src.flatMap((source) => source.imports);

/** Imports from one folder of src/machines into another. */
const betweenMachines = imports.flatMap((one) => {
  const [source, target] = [systemOf(one.from), systemOf(one.to)];
  return source === undefined || target === undefined || source === target ? [] : [{ ...one, source, target }];
});

describe('layers', () => {
  it('DC-003: are defined for every folder of src, and their folders are those of the mission', () => {
    expect(repositoryFolder('src')).toEqual(
      expect.arrayContaining(['actors', 'machines', 'supervisor', 'gateway', 'persistence']),
    );
    expect(repositoryFolder('.')).toEqual(
      expect.arrayContaining(['src', 'test', 'package.json', 'tsconfig.json', 'README.md']),
    );
    const unknown = src.map(({ path }) => layerOf(path)).filter((layer) => !(layer in LAYERS));
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('import only the files that they may', () => {
    const wrong = imports.filter((one) => one.to.startsWith('src/') && !mayImport(one));
    expect(wrong.map(edge)).toEqual([]);
  });

  it('name no file of another folder that they do not import', () => {
    const shared = new Set([...LEAVES, ...PUBLIC_KERNEL, ...PORTS]);
    const named = Object.entries(LAYERS).flatMap(([layer, { files, types = [] }]) =>
      layer.endsWith('.ts') ? [] : [...files, ...types].map((to) => ({ layer, to })),
    );
    const idle = named.filter(
      ({ layer, to }) =>
        to.endsWith('.ts') && !shared.has(to) && !imports.some((one) => one.to === to && layerOf(one.from) === layer),
    );
    expect(idle.map(({ layer, to }) => `${layer} -> ${to}`)).toEqual([]);
  });

  it('import only the packages that they may', () => {
    const wrong = imports.filter(
      ({ from, to }) => !to.startsWith('src/') && !LAYERS[layerOf(from)]!.packages.some((name) => isPackage(to, name)),
    );
    expect(wrong.map(edge)).toEqual([]);
  });

  it('have no import cycle', () => {
    // Only `import type` is left out: everything else is an import at run time too, if only of nothing.
    expect(circle(imports.filter(({ isErased }) => !isErased))?.join(' -> ')).toBe(undefined);
  });

  it.each([
    ['actors', 'the kernel', KERNEL_LAYERS],
    ['gateway', 'the gateway', GATEWAY_LAYERS],
    ['persistence', 'the store', PERSISTENCE_LAYERS],
    ['cli', 'the command line', CLI_LAYERS],
  ] as const)('folders of src/%s import only those before them, types included: %s', (folder, _, layers) => {
    const home = `src/${folder}/`;
    const rankOf = (path: string) => layers.findIndex((layer) => path.startsWith(`${home}${layer}/`));
    const inside = imports.filter(({ from, to }) => isInFolder(from, home) && isInFolder(to, home));
    expect(inside.filter(({ from, to }) => rankOf(from) === -1 || rankOf(to) > rankOf(from)).map(edge)).toEqual([]);
  });

  it('share files at the root of src/cli that import none of its folders', () => {
    const shared = imports.filter(({ from }) => dirname(from) === 'src/cli' && !CLI_JOINTS.includes(from));
    expect(shared.filter(({ to }) => isInFolder(to, 'src/cli/')).map(edge)).toEqual([]);
  });

  it(`have no cycle of more than ${KNOT_FILES_MAX} files if type imports count`, () => {
    expect(knots(imports).filter((files) => files.length > KNOT_FILES_MAX)).toEqual([]);
  });

  it('import no index.ts, which is for users and would bypass the table', () => {
    expect(imports.filter(({ to }) => /^src\/(.*\/)?index\.ts$/.test(to)).map(edge)).toEqual([]);
  });

  it('layers of machines are rules, work, people, then the systems of agents, which are built on all three', () => {
    const wrong = betweenMachines.filter(({ source, target }) => !(FOUNDATIONS[source] ?? [target]).includes(target));
    expect(wrong.map(edge)).toEqual([]);
  });

  it('layers of machines import rules and event schemas of another system, never its machines', () => {
    const machines = new Set(src.filter(isMachineFile).map(({ path }) => path));
    const wrong = betweenMachines.filter(({ to, target }) => !(target in FOUNDATIONS) && machines.has(to));
    expect(wrong.map(edge)).toEqual([]);
  });

  it('DC-002: import exactly the dependencies of package.json, those of the mission among them', () => {
    const { dependencies, peerDependencies, devDependencies } = JSON.parse(repositoryFile('package.json')) as Record<
      string,
      Record<string, string>
    >;
    const used = imports
      .filter(({ from, to }) => !from.startsWith('src/inspector/') && !to.startsWith('src/') && !isBuiltin(to))
      .map(({ to }) => packageOf(to));
    expect([...new Set(used)].sort()).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort());
    expect(used).toEqual(
      expect.arrayContaining(['xstate', '@xstate/store', 'zod', 'ws', 'level', 'msgpackr', 'fast-check']),
    );
    expect(Object.keys(devDependencies!)).toEqual(expect.arrayContaining(['typescript', 'vitest', 'fast-check']));
  });
});

describe('files', () => {
  it('open with a comment about their purpose', () => {
    const bare = src.filter(({ text }) => !/^(#!.*\n)?\/\*\*/.test(text));
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  it('have docstrings that begin with a noun or a verb, tests and tools too', () => {
    expect(codePaths().flatMap((path) => linesWith(HEADLESS, path, readFileSync(join(ROOT, path), 'utf8')))).toEqual(
      [],
    );
  });

  it('have docstrings that are more than a tag', () => {
    expect(src.flatMap(({ path, text }) => linesWith(TAG_ALONE, path, text))).toEqual([]);
  });

  it('have no empty names such as utils', () => {
    const empty = src.filter(({ path }) =>
      path.split('/').some((part) => EMPTY_NAMES.test(part.replace(/\.tsx?$/, ''))),
    );
    expect(empty.map(({ path }) => path)).toEqual([]);
  });

  it(`have at most ${FILE_LINES_MAX} lines`, () => {
    expect(longerThan(FILE_LINES_MAX, src.map(sizeOf))).toEqual([]);
  });

  it(`have functions of at most ${FUNCTION_LINES_MAX} lines`, () => {
    expect(longerThan(FUNCTION_LINES_MAX, src.flatMap(functionsIn))).toEqual([]);
  });

  it(`have lines of at most ${LINE_COLUMNS_MAX} columns, tests and tools too`, () => {
    expect(codePaths().flatMap(wideLinesIn)).toEqual([]);
  });

  it('need every exception that they have', () => {
    const lines = new Map([...src.map(sizeOf), ...src.flatMap(functionsIn)].map((size) => [size.name, size.lines]));
    const needless = Object.keys(LONG).filter(
      (name) => (lines.get(name) ?? 0) <= (name.includes('#') ? FUNCTION_LINES_MAX : FILE_LINES_MAX),
    );
    expect(needless).toEqual([]);
  });
});

describe('code', () => {
  it.each(BANS)('uses $name only in its home: $because', ({ what, home }) => {
    const found = src
      .filter(({ path }) => !home.some((place) => path.startsWith(place)))
      .flatMap((source) => uses(source, new Set(what)));
    expect(found).toEqual([]);
  });

  it('refers to keyspaces and kinds of records by name, never by letter', () => {
    const found = src
      .filter(({ path }) => !LETTERS_AT_HOME.includes(path))
      .flatMap((source) => places(source, (node) => isKeyLetter(node, source.path)));
    expect(found).toEqual([]);
  });

  it('has no any', () => {
    expect(src.flatMap((source) => places(source, ({ kind }) => kind === ts.SyntaxKind.AnyKeyword))).toEqual([]);
  });

  it('silences no checker and has no open to-dos', () => {
    const marks = /@ts-(ignore|expect-error|nocheck)|eslint-disable|\b(TODO|FIXME|XXX|HACK)\b/;
    const found = src.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => (marks.test(line) ? [`${path}:${index + 1}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it('has no await or async in supervisor and machines, which only decide', () => {
    const pure = src.filter(({ path }) => /^src\/(supervisor|machines)\//.test(path));
    const found = pure.flatMap((source) =>
      places(source, ({ kind }) => kind === ts.SyntaxKind.AwaitExpression || kind === ts.SyntaxKind.AsyncKeyword),
    );
    expect(found).toEqual([]);
  });

  it('uses every error code', () => {
    const text = src
      .filter(({ path }) => path !== 'src/error-codes.ts')
      .map((source) => source.text)
      .join('\n');
    expect(Object.keys(ERROR_CODES).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  });
});

describe('tests', () => {
  it('are all run: none is skipped, marked as todo or run alone', () => {
    const paths = ['test', 'examples'].flatMap((folder) => pathsUnder(folder, '.test.ts'));
    expect(paths.length).toBeGreaterThan(0);
    // Most have none of the words: their trees need not be made.
    const tests = paths.filter((path) => MARKS.test(readFileSync(join(ROOT, path), 'utf8'))).map(sourceAt);
    expect(tests.flatMap((source) => places(source, isMarked))).toEqual([]);
  });

  it.each(BANS_IN_TESTS)('use $name only in its home: $because', ({ what, home }) => {
    const words = new RegExp(what.flatMap((name) => name.match(/\w+/g)!.at(-1)!).join('|'));
    const found = testPaths()
      .filter((path) => !home.some((place) => path.startsWith(place)))
      .filter((path) => words.test(readFileSync(join(ROOT, path), 'utf8')))
      .flatMap((path) => uses(sourceAt(path), new Set(what)));
    expect(found).toEqual([]);
  });

  it('draw no number from a seed that is written down, and listen on no port that is', () => {
    const found = testPaths().flatMap((path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .flatMap((line, index) => (LITERAL_LUCK.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it('have titles that begin with their subject or with a verb', () => {
    const paths = ['test', 'examples'].flatMap((folder) => pathsUnder(folder, '.ts'));
    const headless = paths.flatMap((path) => headlessTitles(path, readFileSync(join(ROOT, path), 'utf8')));
    expect(headless).toEqual([]);
  });

  it(`are mutation-tested on existing files of at most ${MUTATED_LINES_MAX} lines of code together`, () => {
    const { rooms } = JSON.parse(readFileSync(join(ROOT, '.ci/mutation-rooms.json'), 'utf8')) as {
      rooms: Readonly<Record<string, { mutate: string[]; tests: string[] }>>;
    };
    const mutate = Object.values(rooms).flatMap((room) => room.mutate);
    const tests = Object.values(rooms).flatMap((room) => room.tests.filter((path) => !path.includes('!(')));
    expect([...mutate, ...tests].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const lines = mutate.flatMap((path) => readFileSync(join(ROOT, path), 'utf8').split('\n'));
    const code = lines.filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line));
    expect(code.length).toBeLessThanOrEqual(MUTATED_LINES_MAX);
  });

  it('reserved for CI exist as files', () => {
    expect(LONG_FILES.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

function sourcesUnder(folder: string, ending = '.ts'): Source[] {
  return pathsUnder(folder, ending).map(sourceAt);
}

function pathsUnder(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .sort()
    .map((path) => `${folder}/${path}`);
}

/** Tests and their support. Examples are the users' code; only their tests are ours. */
function testPaths(): string[] {
  return codePaths().filter((path) => path.startsWith('test/') || /^examples\/.*\.test\.ts$/.test(path));
}

/** Everything that is code, tests and tools and settings among it. */
function codePaths(): string[] {
  const folders = ['src', 'test', 'bench', 'examples', 'site', '.ci'];
  const inFolders = folders.flatMap((folder) => CODE_ENDINGS.flatMap((ending) => pathsUnder(folder, ending)));
  const atTop = readdirSync(ROOT).filter((name) => CODE_ENDINGS.some((ending) => name.endsWith(ending)));
  // Files generated from the documents and by `npm run site` are left out: they are as wide as their sources.
  return [...inFolders, ...atTop].filter((path) => !/^(test\/tmp|site\/dist)\//.test(path));
}

function linesWith(pattern: RegExp, path: string, text: string): string[] {
  return [...text.matchAll(pattern)].map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`);
}

function wideLinesIn(path: string): string[] {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
  return lines.flatMap((line, index) =>
    line.length > LINE_COLUMNS_MAX && [...line].length > LINE_COLUMNS_MAX ? [`${path}:${index + 1}`] : [],
  );
}

function sourceAt(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const nodes = nodesOf(tree);
  return { path, text, tree, nodes, imports: importsIn(path, nodes) };
}

function importsIn(from: string, nodes: readonly ts.Node[]): Import[] {
  const found: Import[] = [];
  for (const node of nodes) {
    const [specifier, isErased] = specifierOf(node);
    if (specifier === undefined) continue;
    const to = specifier.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(from), specifier)) : specifier;
    found.push({ from, to, isErased });
  }
  return found;
}

function specifierOf(node: ts.Node): [specifier: string | undefined, isErased: boolean] {
  if (ts.isImportDeclaration(node))
    return [textOf(node.moduleSpecifier), node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword];
  if (ts.isExportDeclaration(node)) return [textOf(node.moduleSpecifier), node.isTypeOnly];
  if (ts.isImportTypeNode(node))
    return [ts.isLiteralTypeNode(node.argument) ? textOf(node.argument.literal) : undefined, true];
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return [textOf(node.arguments[0]), false];
  return [undefined, false];
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteral(node) ? node.text : undefined;
}

function layerOf(path: string): string {
  if (path in LAYERS) return path;
  return dirname(path) === 'src' ? 'src/*' : path.split('/').slice(0, 2).join('/');
}

function mayImport({ from, to, isErased }: Import): boolean {
  const layer = layerOf(from);
  const own = layer.includes('.') || layer === 'src/*' ? [] : [`${layer}/`];
  const { files, types = [] } = LAYERS[layer]!;
  return [...own, ...files, ...(isErased ? types : [])].some((prefix) => to.startsWith(prefix));
}

/** The folder of src/machines that a file is in. */
/** Whether a file is in a folder below another one: files that join folders, such as an index, are left out. */
function isInFolder(path: string, home: string): boolean {
  return path.startsWith(home) && path.slice(home.length).includes('/');
}

function systemOf(path: string): string | undefined {
  return /^src\/machines\/([^/]+)\//.exec(path)?.[1];
}

/** Whether a file makes a machine. */
function isMachineFile({ nodes }: Source): boolean {
  return nodes.some(
    (node) => ts.isCallExpression(node) && /^(setup|(.*\.)?createMachine)$/s.test(node.expression.getText()),
  );
}

function isPackage(specifier: string, name: string): boolean {
  return name.endsWith(':') ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`);
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function edge({ from, to }: Import): string {
  return `${from} -> ${to}`;
}

/** One circle, its first file twice; undefined where there is none. */
function circle(edges: readonly Import[]): string[] | undefined {
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const search = (file: string): string[] | undefined => {
    if (state.get(file) === 'done') return undefined;
    if (state.get(file) === 'open') return [...trail.slice(trail.indexOf(file)), file];
    state.set(file, 'open');
    trail.push(file);
    for (const { from, to } of edges) {
      const found = from === file && to.startsWith('src/') ? search(to) : undefined;
      if (found !== undefined) return found;
    }
    trail.pop();
    state.set(file, 'done');
    return undefined;
  };
  for (const { from } of edges) {
    const found = search(from);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Files that reach each other by imports, of whatever kind: the strongly connected components (Tarjan). */
function knots(edges: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) if (to.startsWith('src/')) targets.set(from, [...(targets.get(from) ?? []), to]);
  const indexes = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  /** The lowest index of an open file that is reached from this one. */
  const visit = (file: string): number => {
    const index = indexes.size;
    let lowest = index;
    indexes.set(file, index);
    const place = open.push(file) - 1;
    for (const to of targets.get(file) ?? []) {
      if (!indexes.has(to)) lowest = Math.min(lowest, visit(to));
      else if (open.includes(to)) lowest = Math.min(lowest, indexes.get(to)!);
    }
    if (lowest === index) found.push(open.splice(place));
    return lowest;
  };
  for (const file of targets.keys()) if (!indexes.has(file)) visit(file);
  return found.filter((files) => files.length > 1);
}

/** A node and all within it, in the order of the text. */
function nodesOf(root: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return nodes;
}

function places({ path, tree, nodes }: Source, isFound: (node: ts.Node) => boolean): string[] {
  return nodes
    .filter(isFound)
    .map((node) => `${path}:${lineOf(tree, node.getStart())}: ${node.getText().split('\n')[0]!.slice(0, 80)}`);
}

function lineOf(tree: ts.SourceFile, offset: number): number {
  return tree.getLineAndCharacterOfPosition(offset).line + 1;
}

interface Size {
  readonly name: string;
  readonly lines: number;
}

function longerThan(linesMax: number, sizes: readonly Size[]): string[] {
  return sizes
    .filter(({ name, lines }) => lines > (LONG[name]?.lines ?? linesMax))
    .map(({ name, lines }) => `${name}: ${lines} lines`);
}

function sizeOf({ path, text }: Source): Size {
  return { name: path, lines: text.trimEnd().split('\n').length };
}

/** Functions with a body, named `path#name`. The object literal of a machine is data and counts nowhere. */
function functionsIn({ path, tree, nodes }: Source): Size[] {
  const found: Size[] = [];
  for (const node of nodes) {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) continue;
    const from = lineOf(tree, node.getStart());
    const name =
      node.name?.getText() ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : String(from));
    found.push({ name: `${path}#${name}`, lines: lineOf(tree, node.getEnd()) - from + 1 });
  }
  return found;
}

/**
 * Uses of globals (`Date.now`, `console`, `new Date()`) and imports that provide them. A property of the same name
 * does not count.
 */
function uses(source: Source, banned: ReadonlySet<string>): string[] {
  const lastNames = new Set([...banned].map((name) => name.split('.').at(-1)!));
  // Most files have none of the words: their nodes need not be looked at.
  const words = [...lastNames].map((name) => name.replace(/^new (.*)\(\)$/, '$1'));
  if (!words.some((word) => source.text.includes(word))) return [];
  return places(source, (node) => {
    if (ts.isNewExpression(node) && (node.arguments?.length ?? 0) === 0)
      return banned.has(`new ${node.expression.getText()}()`);
    if (ts.isPropertyAccessExpression(node)) return lastNames.has(node.name.text) && banned.has(node.getText());
    if (ts.isImportDeclaration(node))
      return banned.has(node.moduleSpecifier.getText().slice(1, -1).replace('node:', ''));
    return ts.isIdentifier(node) && banned.has(node.text) && isGlobal(node);
  });
}

/**
 * The beginnings of keys of the store: `t!`, as a string, at the head of a template or in an expression; and, where
 * such keys are made and read, a letter alone. A type says the rest: no string is a Keyspace.
 */
function isKeyLetter(node: ts.Node, path: string): boolean {
  if (ts.isRegularExpressionLiteral(node)) return /(?:^|[^A-Za-z])[A-Za-z]!/.test(node.text);
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateHead(node)) return false;
  const isSingle = /^src\/(?:actors|persistence)\//.test(path) && /^[A-Za-z]$/.test(node.text);
  return isSingle || /^[A-Za-z]!/.test(node.text);
}

function isGlobal(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isQualifiedName(parent)) return false;
  const isName = 'name' in parent && parent.name === node;
  return !isName && !ts.isPropertySignature(parent) && !ts.isTypeReferenceNode(parent);
}

/** Words that put a test off or single it out. */
const MARKS = /\.\s*(?:skip|only|todo|fails)\b|\b(?:xit|xtest|xdescribe|fit|fdescribe)\s*[(<]/;

function isMarked(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) {
    return (
      ['skip', 'only', 'todo', 'fails'].includes(node.name.text) &&
      ['it', 'test', 'describe'].includes(node.getText().split('.')[0]!)
    );
  }
  return (
    ts.isCallExpression(node) &&
    ['xit', 'xtest', 'xdescribe', 'fit', 'fdescribe'].includes(basename(node.expression.getText()))
  );
}
