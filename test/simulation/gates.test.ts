/** The desk for gates under simulation: questions to people, with answers that come late, twice, or never. */
import { describe, expect, it } from 'vitest';
import { finally_, simulation, sometimes, type View } from 'bosun/testing';
import { z } from 'zod';
import { formOf } from '../../src/machines/people/gates/gate-form.ts';
import { gateAgents, gateChildren, type GateDeskContext, gatesIn } from '../../src/machines/people/gates/gate-desk.ts';
import { type OrderReply } from '../../src/machines/rules/turn.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { holdingIn } from '../support/campaigns.ts';
import { byEffort, LONG } from '../support/effort.ts';

const FORM = formOf(z.object({ n: z.int() }));
const IDS = ['g0', 'g1', 'g2', 'g3', 'g4'];
const HOUR_MS = 3_600_000;

const questionOf = (id: string) => ({
  type: 'gate.open',
  id,
  kind: 'G4',
  title: `May ${id} go on?`,
  package: null,
  audience: ['*'],
  form: FORM,
  remindAfterMs: [60_000],
  deadlineMs: HOUR_MS,
  onTimeout: { name: 'go on', value: null },
});

const gatesOf = ({ snapshot }: View<undefined>) => gatesIn(snapshot(DESKS.gates)!.context as GateDeskContext);

const desk = simulation<undefined>({
  system: () => ({ agents: gateAgents, tree: { children: gateChildren() } }),
  clients: ({ chance }) => {
    const id = chance.pick(IDS);
    const answer = { type: 'gate.answer', gate: id, by: chance.pick(['ada', 'eve']), answer: { n: chance.integer(9) } };
    const deeds = [
      questionOf(id),
      answer,
      answer,
      { type: 'gate.extend', gate: id, by: 'ada', byMs: 60_000 },
      { type: 'gate.withdraw', gate: id, by: 'ada' },
    ];
    return Array.from({ length: 1 + chance.integer(3) }, () => ({
      address: DESKS.gates,
      event: chance.pick(deeds),
      ask: true,
    }));
  },
  times: [1, 100, 60_000, HOUR_MS],
  faults: 'swarm',
  healMs: 3 * HOUR_MS,
  steps: 50,
  // An order that is passed on to a gate while that closes is answered by the desk, and its own way ends nowhere.
  tolerates: ['no dead letter goes unmentioned'],
  properties: [
    finally_('every gate is closed', (view) => {
      const open = gatesOf(view).find(({ isOver }) => !isOver);
      return open === undefined || `${open.id} is ${open.phase}`;
    }),
    finally_('every gate that was opened is listed', (view) => {
      const listed = new Set(gatesOf(view).map(({ id }) => id));
      const opened = view.acked.filter(({ event, reply }) => event.type === 'gate.open' && (reply as OrderReply).taken);
      const lost = opened.find(({ event }) => !listed.has((event as unknown as { id: string }).id));
      return lost === undefined || `${JSON.stringify(lost.event)} was opened`;
    }),
    finally_('an answer that was taken is the result', (view) => {
      const taken = view.acked.filter(
        ({ event, reply }) => event.type === 'gate.answer' && (reply as OrderReply).taken,
      );
      for (const { event } of taken) {
        const { gate, answer } = event as unknown as { gate: string; answer: unknown };
        const results = gatesOf(view).filter(({ id }) => id === gate);
        if (!results.some(({ result }) => JSON.stringify(result?.answer) === JSON.stringify(answer)))
          return `${gate}: ${JSON.stringify(answer)} was taken, and the result is ${JSON.stringify(results)}`;
      }
      return true;
    }),
    ...(['answered', 'timedOut', 'withdrawn'] as const).map((outcome) =>
      sometimes<undefined>(`a gate is ${outcome}`, (view) => gatesOf(view).some(({ phase }) => phase === outcome)),
    ),
  ],
});

describe('the desk for gates under simulation', () => {
  it('closes every gate once, by its accepted answer or at its deadline, under any faults', LONG, async () => {
    const seeds = byEffort({ quick: 40, ci: 80, soak: 2_000 });
    const { failure, neverMet, text } = await holdingIn(desk, 'the desk for gates', { seeds });
    expect(failure, text).toBe(undefined);
    expect(neverMet).toEqual([]);
  });
});
