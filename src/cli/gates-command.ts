/** `bosun gates`: questions to people, and answers to them. */
import { BosunError } from '../errors.ts';
import { type GateDeskContext, gatesIn, type GateRecord } from '../machines/people/gates/gate-desk.ts';
import { problemsOf } from '../machines/people/gates/gate-form.ts';
import { ANYBODY, type GateQuestion } from '../machines/people/gates/gate.ts';
import { listed } from '../machines/people/desk.ts';
import { DESKS } from '../machines/work/system-ids.ts';
import {
  type DeskCommand,
  type DeskView,
  notThere,
  refusedOrder,
  whenText,
  withDesks,
  writeList,
} from './desk-view.ts';
import { type ExitCode } from './exit-codes.ts';
import { oneLine } from './run-report.ts';
import { jsonLine, timeText } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';
import { factsText } from './table.ts';

type Gate = Omit<GateRecord, 'ref' | 'askedBy' | 'held' | 'number' | 'orders'>;

/** @param command `all`: also those that are closed. */
export function listGates(command: DataCommand & { readonly all: boolean }): Promise<ExitCode> {
  return withDesks(command, async (view) => {
    const gates = (await gatesOf(view)).filter(({ isOver }) => command.all || !isOver);
    writeList(command, gates, {
      none: 'nobody is asked anything',
      head: ['ID', 'STATE', 'FOR', 'SINCE', 'UNTIL', 'TITLE'],
      cells,
    });
  });
}

export function showGate(command: DataCommand & { readonly id: string }): Promise<ExitCode> {
  const { id, json, out } = command;
  return withDesks(command, async (view) => {
    const gate = await gateOf(view, id);
    const question = await questionOf(view, id);
    if (json)
      return void out.write(jsonLine({ ...gate, package: question?.package ?? null, form: question?.form ?? null }));
    out.write(factsOf(gate));
    if (question !== undefined)
      out.write(
        `\nto decide by:\n${JSON.stringify(question.package, null, 2)}\n\nan answer ` +
          `fits:\n${JSON.stringify(question.form, null, 2)}\n`,
      );
  });
}

/** @param command `fields`: of the answer, as `key=value`. */
export function answerGate(
  command: DeskCommand & { readonly id: string; readonly fields: readonly string[] },
): Promise<ExitCode> {
  const { id, fields, reason } = command;
  return withDesks(command, async (view) => {
    const answer = { ...answerOf(fields), ...(reason !== undefined && { reason }) };
    await answered(view, command, { gate: await gateOf(view, id), answer });
  });
}

/** An answer that does not count is refused here, so that nobody has to wait for the next start to hear of it. */
export async function answered(
  view: DeskView,
  { by, json, out }: DeskCommand,
  { gate, answer }: { readonly gate: Gate; readonly answer: object },
): Promise<void> {
  const { id, isOver, phase, audience } = gate;
  if (isOver) throw refusedOrder(`${id} is closed: ${phase}`);
  if (!audience.includes(ANYBODY) && !audience.includes(by))
    throw refusedOrder(`${by} is not among those asked: ${audience.join(', ')}; --by says who answers`);
  const question = await questionOf(view, id);
  const problems = question === undefined ? [] : problemsOf(question.form, answer);
  if (problems.length > 0) throw refusedOrder(`that does not fit ${id}: ${problems.join('; ')}`);
  await view.order(DESKS.gates, { type: 'gate.answer', gate: id, by, answer });
  out.write(
    json
      ? jsonLine({ type: 'gate.answer', gate: id, by, answer, durable: true })
      : `${id}: answered by ${by}${whenText(view)}\n`,
  );
}

export async function gatesOf(view: DeskView): Promise<Gate[]> {
  const desk = await view.look<GateDeskContext>(DESKS.gates);
  return desk === undefined ? [] : gatesIn(desk.context).map(({ askedBy: _, ...gate }) => listed(gate));
}

async function gateOf(view: DeskView, id: string): Promise<Gate> {
  const gate = (await gatesOf(view)).find((known) => known.id === id);
  if (gate === undefined) throw notThere(`no gate "${id}"; bosun gates list --all shows them`);
  return gate;
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

function cells({ id, phase, audience, openedAtMs, deadlineAtMs, title }: Gate): string[] {
  return [
    id,
    phase,
    audienceText(audience),
    timeText(openedAtMs),
    deadlineAtMs === null ? '' : timeText(deadlineAtMs),
    oneLine(title),
  ];
}

function factsOf({ id, kind, title, phase, audience, openedAtMs, deadlineAtMs, result }: Gate): string {
  return factsText([
    ['gate', id],
    ['kind', kind],
    ['title', oneLine(title)],
    ['state', phase],
    ['for', audienceText(audience)],
    ['since', timeText(openedAtMs)],
    ['until', deadlineAtMs === null ? 'somebody answers' : timeText(deadlineAtMs)],
    ['answer', result?.outcome === 'answered' ? `${JSON.stringify(result.answer)} by ${result.by ?? ''}` : null],
  ]);
}

function audienceText(audience: readonly string[]): string {
  return audience.includes(ANYBODY) ? 'anybody' : audience.join(', ');
}
