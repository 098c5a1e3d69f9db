/**
 * A served system with a desk of hubs, whose sessions go on when the test has written the file `go-ROLE`: a run in
 * which a function decides, with a nested hub, and one that asks people.
 */
import { fileURLToPath } from 'node:url';
import { tell } from './desks-system.ts';
import { Served } from './served.ts';

const [CREW, LOOKS] = ['crew.js', 'crew-hub-looks.js'].map((file) =>
  JSON.stringify(fileURLToPath(new URL(`../../../dist/${file}`, import.meta.url))),
);

/** A text of a spoke that a careless page would take for markup. */
export const MARKUP = '<script>document.title = "taken"</script><img src=x onerror=alert(1)>';

/** The beginning of a diff, in the end with a long line and with markup. */
const PATCH = [
  'diff --git a/src/parser.ts b/src/parser.ts',
  '--- a/src/parser.ts',
  '+++ b/src/parser.ts',
  '@@ -41,2 +41,2 @@ function number() {',
  "-  expect(',');",
  "+  if (!atEnd()) expect(',');",
  ' }',
  'diff --git a/test/parser.test.ts b/test/parser.test.ts',
  'new file mode 100644',
  '--- /dev/null',
  '+++ b/test/parser.test.ts',
  '@@ -0,0 +1,2 @@',
  "+it('ends with a number', () => expect(parse('[1, 2')).toBe(2));",
  `+// ${MARKUP} ${'and so on '.repeat(20)}`,
].join('\n');

const CONFIG = `
import { existsSync, watch } from 'node:fs';
import { hubCrew, hubProcedures } from ${CREW};
import { changesProcedures, outputProcedures } from ${LOOKS};

function gone(role) {
  return new Promise((resolve) => {
    const seen = () => existsSync('go-' + role) && (watcher.close(), resolve());
    const watcher = watch('.', seen);
    seen();
  });
}
const handoff = (outcome, recommended, reason, more = {}) => ({ outcome, recommended, reason, ...more });

const functions = {
  lead: async (_, { run }) => {
    await run({ key: 'look', role: 'Researcher', task: 'Read what the parser promises.' });
    await run({ key: 'mend', role: 'Analyst', task: 'Find the fault, and have it mended.' });
    await run({ key: 'test', role: 'Tester', task: 'Run all tests.' });
  },
  look: async (_, { step, usage }) => {
    await step();
    await usage({ tokens: 5200, costUsd: 0.031 });
    return {
      handoff: handoff('complete', 'Architect', 'RFC 8259 allows a number to end the text ${MARKUP}', {
        data: { findings: [{ file: 'parser.ts', line: 41, what: 'expects a comma' }], next_steps: ['mend line 41'] },
      }),
      summary: 'The grammar was read ${MARKUP}',
    };
  },
  analyse: async (_, { run }) => {
    await run({ key: 'write', role: 'Executor', task: 'Let a number end the text.' });
    await run({ key: 'review', role: 'Reviewer', task: 'Does it build?' });
    return { handoff: handoff('steps', 'Executor', 'the fault was in the last token, and it builds') };
  },
  write: async (_, { step, spawn, usage }) => {
    for (let n = 0; n < 4; n++) await step();
    await usage({ tokens: 18400, costUsd: 0.112 });
    await spawn({ role: 'Tester', task: 'try it' });
    return {
      handoff: handoff('done', 'Reviewer', 'a number may be the last token now', {
        data: { files_modified: ['src/parser.ts'], steps_completed: ['line 41'] },
      }),
      changed: [
        { path: 'src/parser.ts', isNew: false, lines: 6 },
        { path: 'test/parser.test.ts', isNew: true, lines: 20 },
      ],
      artifacts: ['src/parser.ts'],
    };
  },
  review: () => ({
    handoff: handoff('approved', 'Tester', 'it builds, and the change is small', {
      build: { command: 'make', exitCode: 0 },
    }),
    build: { command: 'make', exitCode: 0 },
  }),
  test: async (_, { step }) => {
    await step();
    await gone('Tester');
    return { handoff: handoff('passed', 'Archivist', '212 tests pass', { testsPass: true }) };
  },
  stray: () => ({
    handoff: handoff('done', 'Reviewer', 'the parser needs a library'),
    changed: ['src/parser.ts', 'package.json'].map((path) => ({ path, isNew: false, lines: 1 })),
  }),
  ask: () => {
    throw Object.assign(new Error('no key'), { code: 'configuration_error' });
  },
};

const printed = { stdout: { bytes: 38, tail: 'parser: 211 pass\\n${MARKUP}' }, stderr: { bytes: 0, tail: '' } };
const output = async (session) => (session === 'R-1-5' ? { round: 1, ...printed } : undefined);
const patch = ${JSON.stringify(PATCH)};
const files = [
  { path: 'src/parser.ts', isNew: false, lines: 2 },
  { path: 'test/parser.test.ts', isNew: true, lines: null },
];
const changes = async (session) => (session === 'R-1-3' ? { files, patch, isCut: true } : undefined);
const { agents, tree } = hubCrew({ functions });

export default {
  agents,
  tree,
  gateway: { procedures: { ...hubProcedures, ...outputProcedures(output), ...changesProcedures(changes) } },
};
`;

const does = (name: string, more: object = {}) => ({ does: { kind: 'function', name }, ...more });

/** A run in which a function decides, with a nested hub. Its Tester works until the file `go-Tester` is there. */
export const MEND = {
  type: 'hub.start',
  about: {
    title: 'Mend the parser',
    description: 'A text that ends with a number is refused.',
    goals: ['npm test passes'],
    success_criteria: ['all tests pass', 'it builds'],
  },
  workspace: '/shop',
  decides: { kind: 'function', name: 'lead' },
  limits: { spawns: 12, costUsd: 5, timeMs: 3_600_000 },
  agents: {
    Researcher: does('look'),
    Analyst: does('analyse'),
    Executor: does('write', { writes: { files: ['src/**'], newIn: ['src'] }, costUsd: 1 }),
    Reviewer: does('review'),
    Tester: does('test'),
  },
};

/** A run that asks people at once, because its Executor cannot work. */
export const ASKS = {
  type: 'hub.start',
  about: { title: 'Translate the manual' },
  workspace: '/shop',
  agents: { Executor: does('ask') },
};

/** A run that asks people whether its Executor may change a file outside its scope. */
export const ESCALATES = {
  ...ASKS,
  about: { title: 'Use a library' },
  agents: { Executor: does('stray', { writes: { files: ['src/**'] } }) },
};

/** One that pauses soon, because nobody answers. */
export const PAUSES = { ...ASKS, about: { title: 'Print the manual' }, limits: { answerMs: 300 } };

export async function servedHubs(...orders: readonly { readonly type: string }[]): Promise<Served> {
  const served = new Served([]);
  served.work.write('bosun.config.mjs', CONFIG);
  await served.start();
  for (const order of orders) await tell(served, 'hubs', order);
  return served;
}
