/**
 * Stores full of lineage. Work plans take the events that hubs and spokes send them, from one actor that stands for
 * all of these: sessions open, hand off and complete.
 */
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { hubCrew } from '../dist/crew.js';
import { createSystem, levelStore } from '../dist/index.js';
import { order, ruledAgent, TAKEN } from '../dist/machines/rules/turn.js';
import { randomText, settle } from './stored-bytes.mjs';

/** Sessions whose events are sent in one turn. */
const PIECE = 100;
const PLANS_AT_ONCE = 20;
const RESIDENT = 1_000;
const REASON_CHARS = 64;
const SPARE = 'spare';

/** Hand-offs of sessions, from one role to the next. */
const SAID = [
  ['Researcher', 'complete', 'Architect'],
  ['Architect', 'ready', 'Executor'],
  ['Executor', 'done', 'Reviewer'],
  ['Reviewer', 'approved', 'Tester'],
  ['Tester', 'failed', 'Revisionist'],
  ['Revisionist', 'fixed', 'Executor'],
  ['Brainstorm', 'ready', 'Architect'],
  ['Worker', 'complete', null],
];
export const ROLES = SAID.map(([role]) => role);

const NOT_VERIFIED = { files: null, outOfScope: [], signs: [], build: null };

const filler = ruledAgent({
  name: 'filler',
  rules: {
    fill: order(
      z.object({ plans: z.array(z.string()), sessions: z.number(), handsOff: z.boolean(), completes: z.boolean() }),
      (turn, { plans, ...does }) => {
        turn.assign(does);
        for (const id of plans) {
          const facts = { title: `Plan ${id}`, description: '', category: 'feature', priority: 'medium' };
          const input = { id, desk: turn.self, ...facts, goals: [], success_criteria: [], steps: [] };
          turn.send('work-plans', { type: 'child.start', id, spec: { id, input } });
        }
        return TAKEN;
      },
    ),
    'plan.opened': (turn, { id, plan }) => void piece(turn, { id, plan, from: 0 }),
    'piece.next': (turn, event) => void piece(turn, event),
    'handoff.recorded': () => undefined,
    'session.completed': () => undefined,
    'handoff.refused': (turn, { problems }) => turn.assign({ problem: problems.join('; ') }),
    'complete.refused': (turn, { problems }) => turn.assign({ problem: problems.join('; ') }),
  },
  context: () => ({ sessions: 0, handsOff: true, completes: true, problem: null }),
});

/** Sends a plan the events of some of its sessions. */
function piece(turn, { id, plan, from }) {
  const { sessions } = turn.context;
  const end = Math.min(from + PIECE, sessions);
  for (let n = from; n < end; n++) for (const event of eventsOf(turn, id, n)) turn.send(plan, event);
  if (end < sessions) turn.raise({ type: 'piece.next', id, plan, from: end });
}

function eventsOf(turn, id, n) {
  const { handsOff, completes } = turn.context;
  const [role, outcome, recommended] = SAID[n % SAID.length];
  const run = runOf(id);
  const session = `${run}-${n + 1}`;
  const place = { session, run, role, hub: 'Coordinator', parent: run, depth: 1, step: null };
  const data = {
    ...{ recommendation: recommended, steps_completed: [`step ${n}`], files_modified: [`src/part-${n}.ts`] },
    ...{ blockers: [], next_steps: [], budget_exceeded: false, scope_escalation: false },
  };
  const reason = randomText(REASON_CHARS);
  const said = { to: 'Coordinator', outcome, recommended, reason, build: null, testsPass: null, data };
  const usage = { ms: 60_000, steps: 3, tokens: 12_000, costUsd: 0.1 };
  return [
    { type: 'session.open', session: { ...place, isBuildCheck: false, startedAtMs: turn.nowMs, handoff: null } },
    ...(handsOff ? [{ type: 'session.handoff', session, said, verified: NOT_VERIFIED, from: turn.self }] : []),
    ...(completes
      ? [
          {
            ...{ type: 'session.complete', session, outcome: 'done', summary: 'done', usage, artifacts: [] },
            ...{ isForced: !handsOff, from: turn.self },
          },
        ]
      : []),
  ];
}

/** The run of a plan. */
export function runOf(plan) {
  return `R-${plan}`;
}

/** A system on a store of lineage, started. */
export async function lineageSystem(directory) {
  const { agents, tree } = hubCrew();
  const children = [...tree.children, ...['filler', SPARE].map((id) => ({ id, agent: 'filler' }))];
  const system = createSystem({
    ...{ agents: [...agents, filler], tree: { ...tree, children }, store: levelStore(directory) },
    ...{ durability: 'process', residentActors: RESIDENT },
  });
  await system.start();
  return system;
}

export async function empty(directory) {
  await rm(directory, { recursive: true, force: true });
}

/** Fills plans, each with so many sessions; `handsOff`, `completes`: whether these do so. */
export async function fill(directory, plans, { sessions, handsOff = true, completes = true }) {
  const system = await lineageSystem(directory);
  for (let first = 0; first < plans.length; first += PLANS_AT_ONCE) {
    const some = plans.slice(first, first + PLANS_AT_ONCE);
    await system.ask('filler', { type: 'fill', plans: some, sessions, handsOff, completes });
    await system.idle();
  }
  const { problem } = (await system.snapshot('filler')).context;
  if (problem !== null) throw new Error(problem);
  for (const plan of handsOff ? plans : []) {
    const { last } = await system.records.list(`work-plans/${plan}`, 'lineage', { limit: 1 });
    if (last !== sessions) throw new Error(`${last} of ${sessions} hand-offs of ${plan} are recorded`);
  }
  await system.stop();
}

/** Bytes of a filled store, folded and compacted. */
export async function settledBytes(directory) {
  return await settle(await lineageSystem(directory), SPARE, directory);
}
