/** `bosun gates`: questions to people, and answers to them. */
import { BosunError } from '../errors.ts';
import { type GateDeskContext, gatesIn, type GateRecord } from '../machines/people/gates/gate-desk.ts';
import { problemsOf } from '../machines/people/gates/gate-form.ts';
import { ANYBODY, type GateQuestion } from '../machines/people/gates/gate.ts';
import { listed } from '../machines/people/desk.ts';
import { DESKS } from '../machines/work/system-ids.ts';
import { type DeskRow, type Ordered } from './desk-row.ts';
import { type DeskView, found, refusedOrder } from './desk-view.ts';
import { oneLine } from './run-report.ts';
import { timeText, whenKnown } from './stopped-store.ts';

type Gate = Omit<ReturnType<typeof listed<GateRecord>>, 'askedBy'>;

export async function gatesOf(view: DeskView): Promise<Gate[]> {
  const desk = await view.look<GateDeskContext>(DESKS.gates);
  return desk === undefined ? [] : gatesIn(desk.context).map(({ askedBy: _, ...gate }) => listed(gate));
}

export const GATES: DeskRow<Gate> = {
  none: 'nobody is asked anything',
  records: async (view, all) => (await gatesOf(view)).filter(({ isOver }) => all || !isOver),
  find: async (view, id) => found(await gatesOf(view), id, `no gate "${id}"; bosun gates list --all shows them`),
  cells: ({ id, phase, audience, openedAtMs, deadlineAtMs, title }) => ({
    ID: id,
    STATE: phase,
    FOR: audienceText(audience),
    SINCE: timeText(openedAtMs),
    UNTIL: whenKnown(deadlineAtMs),
    TITLE: oneLine(title),
  }),
  facts: ({ id, kind, title, phase, audience, openedAtMs, deadlineAtMs, result }) => [
    ['gate', id],
    ['kind', kind],
    ['title', oneLine(title)],
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
      answered(view, { gate, by, answer: { ...answerOf(fields), ...(reason !== undefined && { reason }) } }),
  },
};

/** An answer that does not count is refused here, so that nobody has to wait for the next start to hear of it. */
export async function answered(
  view: DeskView,
  { gate, by, answer }: { readonly gate: Gate; readonly by: string; readonly answer: object },
): Promise<Ordered> {
  const { id, isOver, phase, audience } = gate;
  if (isOver) throw refusedOrder(`${id} is closed: ${phase}`);
  if (!audience.includes(ANYBODY) && !audience.includes(by))
    throw refusedOrder(`${by} is not among those asked: ${audience.join(', ')}; --by says who answers`);
  const question = await questionOf(view, id);
  const problems = question === undefined ? [] : problemsOf(question.form, answer);
  if (problems.length > 0) throw refusedOrder(`that does not fit ${id}: ${problems.join('; ')}`);
  return {
    desk: DESKS.gates,
    event: { type: 'gate.answer', gate: id, by, answer },
    said: `${id}: answered by ${by}`,
  };
}

async function questionOf(view: DeskView, id: string): Promise<GateQuestion | undefined> {
  return (await view.look<{ readonly question: GateQuestion }>(`${DESKS.openGates}/${id}`))?.context.question;
}

/** Values are JSON where they read as JSON, and text where they do not. */
function answerOf(fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const at = field.indexOf('=');
      if (at < 1)
        throw new BosunError(
          'BOSUN_CALL_INVALID',
          `an answer is given as key=value, such as decision=approve, not "${field}"`,
        );
      return [field.slice(0, at), valueOf(field.slice(at + 1))];
    }),
  );
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A word is no JSON, and what is meant is the word.
    return text;
  }
}

function audienceText(audience: readonly string[]): string {
  return audience.includes(ANYBODY) ? 'anybody' : audience.join(', ');
}
