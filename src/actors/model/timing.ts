/**
 * What an agent says about time: which of its timers a start treats how, and its schedules. Checked when it is defined.
 */
import { type AnyStateMachine, type StateMachine } from 'xstate';
import { parseSchedules, type Schedule, type ScheduleOptions } from './schedules.ts';
import { RESTORE_POLICIES, type RestorePolicy } from './timers.ts';

/** The names in `setup({ delays })`; any text for a machine that was made without. */
export type DelayOf<Machine> =
  Machine extends StateMachine<
    infer _Context,
    infer _Event,
    infer _Children,
    infer _Actor,
    infer _Action,
    infer _Guard,
    infer Delay,
    infer _Value,
    infer _Tag,
    infer _Input,
    infer _Output,
    infer _Emitted,
    infer _Meta,
    infer _Schema,
    infer _TransitionMeta
  >
    ? Delay
    : string;

export interface TimerOptions<Delay extends string = string> {
  /** By the name of a delay in `setup({ delays })`: what a start does to timers that were armed with it. */
  readonly restore?: Readonly<Partial<Record<Delay, RestorePolicy>>>;
  /** For every other timer of the machine, and of machines that it invokes or spawns. Default `deadline`. */
  readonly restoreDefault?: RestorePolicy;
}

export interface Timing {
  readonly restore: ReadonlyMap<string, RestorePolicy>;
  readonly restoreDefault: RestorePolicy;
  readonly schedules: ReadonlyMap<string, Schedule>;
}

/** Of an agent that says nothing about time. */
export const PLAIN_TIMING: Timing = Object.freeze({
  restore: new Map(),
  restoreDefault: 'deadline',
  schedules: new Map(),
});

/**
 * @param flawOf What keeps an event type from being one the machine may be sent. Throws an Error that names the place.
 */
export function parseTiming(
  machine: AnyStateMachine,
  options: { timers?: TimerOptions | undefined; schedules?: Readonly<Record<string, ScheduleOptions>> | undefined },
  flawOf: (type: string) => string | undefined,
): Timing {
  const { restore = {}, restoreDefault = 'deadline' } = options.timers ?? {};
  const delays = machine.implementations.delays as object;
  for (const name of Object.keys(restore)) {
    if (!Object.hasOwn(delays, name))
      throw new Error(`timers.restore names a delay "${name}", which the machine lacks`);
  }
  for (const policy of [restoreDefault, ...Object.values(restore)]) {
    if (!RESTORE_POLICIES.includes(policy as RestorePolicy))
      throw new Error(`a restore policy is one of ${RESTORE_POLICIES.join(', ')}`);
  }
  return Object.freeze({
    restore: new Map(Object.entries(restore) as [string, RestorePolicy][]),
    restoreDefault,
    schedules: parseSchedules(options.schedules ?? {}, flawOf),
  });
}

/** Of the machines below an agent's: they have no options of their own. */
export function childTiming({ restoreDefault }: Timing): Timing {
  return restoreDefault === 'deadline' ? PLAIN_TIMING : { ...PLAIN_TIMING, restoreDefault };
}

/** @param delay Its name; null for a delay that has none. */
export function policyOf({ restore, restoreDefault }: Timing, delay: string | null): RestorePolicy {
  return (delay === null ? undefined : restore.get(delay)) ?? restoreDefault;
}
