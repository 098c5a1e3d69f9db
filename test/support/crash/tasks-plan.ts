/** The plans of the proof of tasks under kills: their tasks, what comes on top, and how often each task is given. */
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { type WrittenTask } from '../../../src/machines/delivery/plans/plan-document.ts';
import { type DoneReport } from '../../../src/machines/delivery/tasks/task-messages.ts';

export const PLANS = ['shop', 'till'] as const;

/** Layers of each plan. A task depends on tasks of the layer before it. */
const LAYERS = 3;
const MINUTES = 30;
const TOO_LONG = 60;

/** The fate of a task of a plan, by the last digits of its number: a large one is broken down. */
const isLarge = (number: number) => number % 20 === 9;
const PARTS = ['a', 'b'] as const;
const FINDS = 3;
const FAILS = 5;
const IS_PARTIAL = 7;

const AS_HANDED_IN = /^[a-z]+ (\d+)$/;

function lastDigit(title: string): number {
  return Number(AS_HANDED_IN.exec(title)?.[1] ?? 0) % 10;
}

/** The tasks of a plan, with dependencies that are drawn. */
export function tasksOf(plan: string, count: number, random: SeededRandom): WrittenTask[] {
  const layer = Math.ceil(count / LAYERS);
  return Array.from({ length: count }, (_, number) => {
    const before = (Math.floor(number / layer) - 1) * layer;
    const others = [0, 1].map(() => `${plan} ${before + random.integer(layer)}`);
    return {
      ...{ title: `${plan} ${number}`, minutes: isLarge(number) ? TOO_LONG : MINUTES, concerns: ['backend'] },
      ...{ acceptance: ['it works'], dependsOn: before < 0 ? [] : [...new Set(others)] },
      priority: number % 7 === 0 ? 1 : number % 3 === 0 ? 3 : 2,
      subtasks: isLarge(number)
        ? PARTS.map((part) => ({ title: `${plan} ${number}${part}`, minutes: MINUTES, concerns: ['backend'] }))
        : [],
    };
  });
}

/** How often each task is given to a coding session, by title: those of the plans, their parts, and what is found. */
export function givenByTitle(count: number): ReadonlyMap<string, number> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return new Map(PLANS.flatMap((plan) => numbers.flatMap((number) => givenFor(`${plan} ${number}`, number))));
}

function givenFor(title: string, number: number): [title: string, given: number][] {
  if (isLarge(number)) return [[title, 0], ...PARTS.map((part): [string, number] => [`${title}${part}`, 1])];
  const digit = lastDigit(title);
  return [
    [title, digit === FAILS || digit === IS_PARTIAL ? 2 : 1],
    ...(digit === FINDS ? [[`after ${title}`, 1] as [string, number]] : []),
  ];
}

/** The arguments of the report by which a session ends an attempt. */
export function endOf(title: string, attempt: number) {
  const digit = lastDigit(title);
  const status = attempt > 1 ? 'done' : digit === FAILS ? 'failed' : digit === IS_PARTIAL ? 'partial' : 'done';
  const found = digit === FINDS ? [{ title: `after ${title}`, minutes: MINUTES }] : [];
  return { status: status as DoneReport['status'], files: [`src/${title}.ts`], followUpTasks: found };
}
