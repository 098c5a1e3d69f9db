/** T3: questions to people, opened at a desk with a growing number of them, and answered. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setup } from 'xstate';
import { z } from 'zod';
import { createSystem, defineAgent } from '../../dist/index.js';
import { DESKS, formOf, gateAgents, gateChildren } from '../../dist/machines/index.js';
import { inTurn } from '../rounds.mjs';
import { percentile } from '../statistics.mjs';
import { watchedStore } from '../stores.mjs';

const OUTSTANDING = 64;
const ANSWERS = 200;

const FORM = formOf(z.object({ ok: z.boolean() }));

const questionOf = (id) => ({
  id,
  kind: 'G4',
  title: `May ${id} go on?`,
  package: { item: id },
  audience: ['*'],
  form: FORM,
  remindAfterMs: [],
  deadlineMs: null,
  onTimeout: null,
});

async function opened(directory) {
  await rm(directory, { recursive: true, force: true });
  const { store } = watchedStore(directory);
  const system = createSystem({
    agents: gateAgents,
    store,
    durability: 'process',
    tree: treeOfGates(),
  });
  await system.start();
  return { system, store };
}

/** Calls `act` for each number, some at a time. */
async function each(count, act) {
  let next = 0;
  const worker = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, worker));
}

async function timed(act) {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await act();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - startMs, cpuMs: (user + system) / 1_000 };
}

/** Opens `count` gates in two halves, answers some of them, and starts again. */
async function desk(directory, count) {
  const { system } = await opened(directory);
  const half = count / 2;
  const open = (from) => (n) => system.ask(DESKS.gates, { type: 'gate.open', ...questionOf(`gate-${from + n}`) });
  const first = await timed(() => each(half, open(0)).then(() => system.idle()));
  const second = await timed(() => each(half, open(half)).then(() => system.idle()));
  const answersMs = [];
  for (let n = 0; n < ANSWERS; n++) {
    const answer = { type: 'gate.answer', gate: `gate-${n * 7}`, by: 'ada', answer: { ok: true } };
    const startMs = performance.now();
    const { taken, problems } = await system.ask(DESKS.gates, answer);
    answersMs.push(performance.now() - startMs);
    if (!taken) throw new Error(problems.join('; '));
  }
  const { open: left } = (await system.snapshot(DESKS.gates)).context;
  if (left.size !== count - ANSWERS) throw new Error(`${left.size} of ${count - ANSWERS} gates are open`);
  await system.stop();
  const startMs = await startOf(directory);
  return {
    perSecond: (count * 1_000) / (first.ms + second.ms),
    firstHalfCpuMicros: (first.cpuMs * 1_000) / half,
    secondHalfCpuMicros: (second.cpuMs * 1_000) / half,
    answerP50Ms: percentile(answersMs, 0.5),
    answerP99Ms: percentile(answersMs, 0.99),
    startMs,
  };
}

async function startOf(directory) {
  const { store } = watchedStore(directory);
  const system = createSystem({ agents: gateAgents, store, durability: 'process', tree: treeOfGates() });
  const { ms } = await timed(() => system.start());
  await system.stop();
  return ms;
}

const treeOfGates = () => ({ strategy: 'rest_for_one', children: gateChildren() });

/** The gates without a desk, started by their Boss. */
async function bare(directory, count) {
  const { system } = await opened(directory);
  // An agent has to receive the results: this gate is sent them and ignores them.
  await system.ask(DESKS.gates, { type: 'gate.open', ...questionOf('listener') });
  await system.idle();
  const [listener] = [...(await system.snapshot(DESKS.gates)).context.rows.values()];
  const boss = system.boss(DESKS.openGates);
  const start = (n) => {
    const id = `gate-${n}`;
    return boss.startChild({ id, input: { question: questionOf(id), askedBy: null, desk: listener.ref } });
  };
  const { ms } = await timed(() => each(count, start).then(() => system.idle()));
  await system.stop();
  return { perSecond: (count * 1_000) / ms };
}

const idler = defineAgent({
  name: 'idler',
  machine: setup({}).createMachine({ context: ({ input }) => ({ question: input.question }) }),
  events: {},
});

/** A start with as many actors that wait for nothing. */
async function idle(directory, count) {
  await rm(directory, { recursive: true, force: true });
  const system = () =>
    createSystem({
      agents: [idler],
      store: watchedStore(directory).store,
      durability: 'process',
      tree: { strategy: 'dynamic', template: { agent: 'idler', restart: 'temporary' } },
    });
  const first = system();
  await first.start();
  await each(count, (n) => first.boss().startChild({ id: `idle-${n}`, input: { question: questionOf(`idle-${n}`) } }));
  await first.stop();
  const again = system();
  const { ms } = await timed(() => again.start());
  await again.stop();
  return { startMs: ms };
}

export const gates = {
  name: 'T3',
  title: 'Gates at a desk',
  about: ({ gates }) =>
    `${gates.toLocaleString('en')} gates opened one after the other by ${OUTSTANDING} askers, each asked until the ` +
    `desk has replied (LevelDB, durability \`process\`); then ${ANSWERS} answers, one at a time; then a start with ` +
    'those that are open. ' +
    '**bare**: as many gate actors started at their Boss, without a desk. **idle**: as many actors that wait for ' +
    'nothing, and a start with them.',
  sizes: { full: { gates: 10_000 }, quick: { gates: 1_600 } },
  ratios: [
    {
      name: 'gates opened a second',
      of: ({ desk }) => desk.perSecond,
      atLeast: 1_500,
      unit: '/s',
    },
    {
      name: 'gates opened at a desk, against bare starts of gate actors',
      of: ({ desk, bare }) => desk.perSecond / bare.perSecond,
      atLeast: 0.6,
    },
    {
      name: 'processor time of the second half, against the first',
      of: ({ desk }) => desk.secondHalfCpuMicros / desk.firstHalfCpuMicros,
    },
    { name: 'an answer, p99', of: ({ desk }) => desk.answerP99Ms, atMost: 5, unit: ' ms' },
    {
      name: 'a start with the gates that are open, against as many idle actors',
      of: ({ desk, idle }) => desk.startMs / idle.startMs,
      atMost: 2,
    },
  ],

  async open({ gates: count }, directory) {
    const subject = () => desk(join(directory, 'desk'), count);
    return {
      subject,
      round: inTurn({
        desk: subject,
        bare: () => bare(join(directory, 'bare'), count),
        idle: () => idle(join(directory, 'idle'), count),
      }),
      close: () => Promise.resolve(),
    };
  },
};
