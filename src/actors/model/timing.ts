/** An agent's options for time: how a start treats its timers, and its schedules. Checked when the agent is defined. */
import { type AnyStateMachine, type StateMachine } from 'xstate';
import { parseSchedules, type Schedule, type ScheduleOptions } from './schedules.ts';
import { RESTORE_POLICIES, type RestorePolicy } from './timers.ts';

/** The names in `setup({ delays })`; any string for a machine made without `setup`. */
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

/** The options for timers that came due while nothing ran. */
export interface TimerOptions<Delay extends string = string> {
  /** Policies by the name of a delay in `setup({ delays })`, for timers armed with that delay. */
  readonly restore?: Readonly<Partial<Record<Delay, RestorePolicy>>>;
  /** The policy for every other timer of the machine, and of machines that it invokes or spawns. Default `deadline`. */
  readonly restoreDefault?: RestorePolicy;
}

export interface Timing {
  readonly restore: ReadonlyMap<string, RestorePolicy>;
  readonly restoreDefault: RestorePolicy;
  readonly schedules: ReadonlyMap<string, Schedule>;
}

/** The timing of an agent that sets no options for time. */
export const PLAIN_TIMING: Timing = Object.freeze({
  restore: new Map(),
  restoreDefault: 'deadline',
  schedules: new Map(),
});

/**
 * Parses an agent's options for time.
 *
 * @param flawOf Says why an event type cannot be sent to the machine. Throws an Error that names the place.
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
      throw new Error(`a restore policy must be one of ${RESTORE_POLICIES.join(', ')}`);
  }
  return Object.freeze({
    restore: new Map(Object.entries(restore) as [string, RestorePolicy][]),
    restoreDefault,
    schedules: parseSchedules(options.schedules ?? {}, flawOf),
  });
}

/** The timing of machines below an agent's, which have no options of their own. */
export function childTiming({ restoreDefault }: Timing): Timing {
  return restoreDefault === 'deadline' ? PLAIN_TIMING : { ...PLAIN_TIMING, restoreDefault };
}

/**
 * The policy of a timer.
 *
 * @param delay The name of its delay; null for an unnamed one.
 */
export function policyOf({ restore, restoreDefault }: Timing, delay: string | null): RestorePolicy {
  return (delay === null ? undefined : restore.get(delay)) ?? restoreDefault;
}
