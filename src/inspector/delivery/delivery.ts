/** Rules of the pages of tasks and of the organisation: their order, their words, and the orders of people. Pure. */
import { BY, type DeskOrder, field } from '../desks/desk-orders.ts';
import { counted } from '../format.ts';
import { type TaskShown, type TeamShown } from './delivery-shapes.ts';

/** Tones of statuses in the order of the board: first what needs somebody, last what has ended. */
export const TONES: Readonly<Record<TaskShown['status'], string>> = {
  ...{ blocked: 'warn', in_progress: 'active', in_verification: 'active', partial: '', ready: '', pending: '' },
  ...{ decomposed: '', failed: 'bad', verified: 'good' },
};
export const STATUSES = Object.keys(TONES) as readonly TaskShown['status'][];

/** Tasks in the order of the board, and the urgent ones first among those of one status. */
export function onBoard(tasks: readonly TaskShown[]): readonly TaskShown[] {
  const rank = ({ status }: TaskShown) => STATUSES.indexOf(status);
  return tasks.toSorted((a, b) => rank(a) - rank(b) || a.urgency - b.urgency);
}

/** Why a task is where it is; empty if nothing is in its way. */
export function whyOf(task: Pick<TaskShown, 'because' | 'waitsFor' | 'parts' | 'isOver'>): string {
  const { because, waitsFor, parts, isOver } = task;
  // A task that is verified by its own check ends before the tasks that mend it.
  return because ?? (isOver || waitsFor + parts === 0 ? '' : `waits for ${counted(waitsFor + parts, 'task')}`);
}

/** The criteria of a task, with how each stood at its last check, and what else that has found. */
export function standsOf({ context: { acceptance }, check }: Pick<TaskShown, 'context' | 'check'>): readonly string[] {
  if (check === null) return acceptance;
  const { matches, remaining, open, visual } = check;
  const stands = { met: matches, 'not met': remaining, open, 'to look at': visual };
  return Object.entries(stands).flatMap(([stand, all]) => all.map((one) => `${stand}: ${one}`));
}

/** The orders about a task. */
export function taskOrders(address: string, { id: task, priority: now, minutes: estimate }: TaskShown) {
  const hint = estimate === null ? 'nobody has estimated it' : `${estimate} as it stands`;
  const priority = { kind: 'choice', options: ['1', '2', '3'], initial: String(now), hint: '1 is the most urgent' };
  const unblock: DeskOrder = {
    ...{ title: `Unblock ${task}`, verb: 'Unblock', address, done: `${task} goes on.` },
    means: 'It is ready again, and its tickets are withdrawn. Whoever gets it next reads the note.',
    fields: [BY, field('note', { isRequired: false })],
    eventOf: ({ by, note }) => ({ type: 'tasks.unblock', task, by, note }),
  };
  const change: DeskOrder = {
    ...{ title: `Change ${task}`, verb: 'Change', address, done: `${task} is changed.` },
    means: 'A task is as urgent as those that wait for it. One that nobody could size is planned again.',
    fields: [BY, field('priority', priority as object), field('minutes', { kind: 'number', isRequired: false, hint })],
    eventOf: ({ by, priority: urgency, minutes }) => ({
      ...{ type: 'tasks.change', task, by, priority: Number(urgency), ...(minutes && { minutes: Number(minutes) }) },
    }),
  };
  const fail: DeskOrder = {
    ...{ title: `Give up ${task}`, verb: 'Give up', isDangerous: true, address, done: `${task} is given up.` },
    means: 'It fails, and what needs it fails, too.',
    fields: [BY, field('reason')],
    eventOf: ({ by, reason }) => ({ type: 'tasks.fail', task, by, reason }),
  };
  return { unblock, change, fail };
}

export function setPlaces(address: string, now: number): DeskOrder {
  return {
    ...{ title: 'Places for coding sessions', verb: 'Set', address, done: 'The places are set.' },
    means: 'So many coding sessions work at once. Fewer places take no task away from a session that has one.',
    fields: [BY, field('places', { kind: 'integer', initial: String(now), hint: '1 to 100' })],
    eventOf: ({ by, places }) => ({ type: 'tasks.places', places: Number(places), by }),
  };
}

/** Drains a team, or lets it go on. */
export function drainTeam(address: string, { id: team, title, state }: TeamShown): DeskOrder {
  const isDrained = state !== 'drained';
  const verb = isDrained ? 'Drain' : 'Go on';
  return {
    ...{ title: `${verb}: ${title}`, verb, address, fields: [BY] },
    means: isDrained ? 'It gets nothing new. What comes for it is held.' : 'It gets what was held for it.',
    eventOf: ({ by }) => ({ type: 'org.set', team, isDrained, by }),
    done: isDrained ? `${title} gets nothing new.` : `${title} goes on.`,
  };
}
