/** `bosun gates`: lists questions to people, and answers them. */
import { type GateDeskContext, gatesIn, type GateRecord } from '../machines/people/gates/gate-desk.ts';
import { problemsOf } from '../machines/people/gates/gate-form.ts';
import { ANYBODY, type GateQuestion } from '../machines/people/gates/gate.ts';
import { listed } from '../machines/rules/desk.ts';
import { DESKS } from '../machines/desks.ts';
import { type DeskRow, type Ordered } from './desk-row.ts';
import { type DeskView, found, refusedOrder } from './desk-view.ts';
import { fieldsIn } from './json-text.ts';
import { timeText, whenKnown } from './stopped-store.ts';

type Gate = Omit<ReturnType<typeof listed<GateRecord>>, 'askedBy'>;

export async function gatesOf(view: DeskView): Promise<Gate[]> {
  const desk = await view.look<GateDeskContext>(DESKS.gates);
  return desk === undefined ? [] : gatesIn(desk.context).map(({ askedBy: _, ...gate }) => listed(gate));
}

export const GATES: DeskRow<Gate> = {
  none: 'no open questions',
  records: async (view, all) => (await gatesOf(view)).filter(({ isOver }) => all || !isOver),
  find: async (view, id) => found(await gatesOf(view), id, `no gate "${id}"; bosun gates list --all shows them`),
  cells: ({ id, phase, audience, openedAtMs, deadlineAtMs, title, item, stage, proposal }) => ({
    ID: id,
    STATE: phase,
    FOR: audienceText(audience),
    SINCE: timeText(openedAtMs),
    UNTIL: whenKnown(deadlineAtMs),
    ITEM: item,
    STAGE: stage,
    TITLE: title,
    PROPOSED: proposal,
  }),
  facts: ({ id, kind, title, item, stage, proposal, phase, audience, openedAtMs, deadlineAtMs, result }) => [
    ['gate', id],
    ['kind', kind],
    ['title', title],
    ['item', item],
    ['stage', stage],
    ['proposed', proposal],
    ['state', phase],
    ['for', audienceText(audience)],
    ['since', timeText(openedAtMs)],
    ['until', whenKnown(deadlineAtMs) ?? 'somebody answers'],
    ['answer', result?.outcome === 'answered' ? `${JSON.stringify(result.answer)} by ${result.by ?? ''}` : null],
  ],
  detail: async (view, { id }) => {
    const question = await questionOf(view, id);
    if (question === undefined) return { json: { package: null, form: null }, text: '' };
    const { package: given, form } = question;
    const [materials, answer] = [given, form].map((value) => JSON.stringify(value, null, 2));
    const text = `\nto decide by:\n${materials}\n\nan answer fits:\n${answer}\n`;
    return { json: { package: given, form }, text };
  },
  orders: {
    answer: (gate, { by, reason, fields }, view) =>
      answered(view, {
        gate,
        by,
        answer: { ...fieldsIn(fields, 'an answer', 'decision=approve'), ...(reason !== undefined && { reason }) },
      }),
  },
};

/** Makes the order that answers a gate. An invalid answer is refused here instead of at the next start. */
export async function answered(
  view: DeskView,
  { gate, by, answer }: { readonly gate: Gate; readonly by: string; readonly answer: object },
): Promise<Ordered> {
  const { id, isOver, phase, audience } = gate;
  if (isOver) throw refusedOrder(`${id} is closed: ${phase}`);
  if (!audience.includes(ANYBODY) && !audience.includes(by))
    throw refusedOrder(`${by} may not answer it; those who may: ${audience.join(', ')}. Name one with --by`);
  const question = await questionOf(view, id);
  const problems = question === undefined ? [] : problemsOf(question.form, answer);
  if (problems.length > 0) throw refusedOrder(`the answer does not fit ${id}: ${problems.join('; ')}`);
  return {
    desk: DESKS.gates,
    event: { type: 'gate.answer', gate: id, by, answer },
    said: `${id}: answered by ${by}`,
  };
}

async function questionOf(view: DeskView, id: string): Promise<GateQuestion | undefined> {
  return (await view.look<{ readonly question: GateQuestion }>(`${DESKS.openGates}/${id}`))?.context.question;
}

function audienceText(audience: readonly string[]): string {
  return audience.includes(ANYBODY) ? 'anybody' : audience.join(', ');
}
