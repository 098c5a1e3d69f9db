/** What somebody may do after a run, as lines that can be typed as they stand. Formatting only. */
import { type CoordinatorContext, itemsIn } from '../machines/coordination/coordinator/coordinator-context.ts';
import { isAtGate } from '../machines/coordination/coordinator/progress.ts';
import { type BatchRecord } from '../machines/coordination/batches/batch-rules.ts';
import { type GateRecord } from '../machines/people/gates/gate-desk.ts';
import { DEFAULT_DATA } from './default-data.ts';
import { filesOf, oneLine } from './run-report.ts';
import { type Environment } from './surroundings.ts';

/** What the desks have that waits for somebody. */
export interface Waiting {
  readonly batches: readonly Pick<BatchRecord, 'id' | 'phase' | 'total' | 'reason'>[];
  readonly gates: readonly Pick<GateRecord, 'id' | 'title'>[];
}

/** Nothing runs, and all that is undecided waits for people to answer. */
export function waitsForPeople(context: CoordinatorContext): boolean {
  const { running, undecided } = context.tally;
  if (running > 0 || undecided === 0) return false;
  return (
    [...itemsIn(context).values()].filter((item) => item.phase === 'running' && isAtGate(item)).length === undecided
  );
}

/** How the user called Bosun, and so how to call it again. */
export interface Invocation {
  readonly bosun: string;
  /** The line that was typed with one option more. */
  again(option: string): string;
}

/**
 * By npx and by scripts of npm `bosun` is not in the user's PATH; and npm takes options for its own that do not stand
 * behind `--`.
 */
export function invocationOf({ npm_lifecycle_event: script = '' }: Environment): Invocation {
  const bosun = script === '' ? 'bosun' : 'npx bosun';
  if (script === '' || script === 'npx') return { bosun, again: (option) => `the same line with ${option}` };
  return { bosun, again: (option) => `npm ${script === 'start' ? script : `run ${script}`} -- ${option}` };
}

export function completedHints(context: CoordinatorContext, data: string, { bosun, again }: Invocation): string[] {
  const text = filesOf(context).find((file) => file.endsWith('.md'));
  const look = text === undefined ? [] : [`Look at a report: less ${text}`];
  return [
    ...look,
    `The crew that did it: ${bosun} tree${dataOption(data)}. Once more from the start: ${again('--fresh')}.`,
  ];
}

export function resumeHints(
  context: CoordinatorContext,
  { batches, gates }: Waiting,
  data: string,
  { bosun }: Invocation,
): string[] {
  const paused = [...itemsIn(context)]
    .filter(([, { phase }]) => phase === 'paused')
    .map(
      ([item, { reason }]) =>
        `${item} is paused: ${oneLine(reason ?? '')}. When that is mended: ${bosun} plan resume ` +
        `${item}${dataOption(data)}, then run again.`,
    );
  const together = batches
    .filter(({ phase }) => phase === 'paused')
    .map(
      ({ id, total, reason }) =>
        `${id} is ${total} items together: ${oneLine(reason)}. All of them: ${bosun} batches resume ` +
        `${id}${dataOption(data)}, then run again.`,
    );
  const asked = gates.map(
    ({ id, title }) =>
      `${id} asks: ${oneLine(title)}. To answer: ${bosun} gates answer ${id} ` +
      `decision=approve${dataOption(data)}, then run again.`,
  );
  return [...paused, ...together, ...asked];
}

/** So that a line that is proposed can be typed as it stands. */
export function dataOption(data: string): string {
  return data === DEFAULT_DATA ? '' : ` --data ${/^[\w./~@:+-]+$/.test(data) ? data : JSON.stringify(data)}`;
}
