/**
 * Our own machines for assertions of the W3C's test suite for SCXML (the suite itself is not ours to copy; its numbers
 * are cited). A case passes if its machine comes to rest in `pass`.
 */
import { type AnyStateMachine, createMachine, setup } from 'xstate';
import { type Feature, type Step } from '../feature.ts';

export interface W3cCase extends Feature {
  /** The number of the W3C test with this assertion. */
  readonly test: string;
  /** Why createActor does not pass it. */
  readonly unlike?: string;
}

/** Time for the case's own delays, with a cut after it. */
const ALONE: readonly Step[] = [1, 1];

type Config = Readonly<Record<string, unknown>>;

/** @param config The machine's config, to which the states `pass` and `fail` are added. */
export function w3c(
  test: string,
  asserts: string,
  config: Config,
  more: { steps?: readonly Step[]; unlike?: string; actors?: Config } = {},
): W3cCase {
  const { states, ...rest } = config as { states: Config };
  const whole = { ...rest, states: { ...states, pass: { id: 'pass' }, fail: { id: 'fail' } } };
  const machine = (): AnyStateMachine =>
    setup({ actors: (more.actors ?? {}) as never }).createMachine(whole as never) as unknown as AnyStateMachine;
  const { steps = ALONE, unlike } = more;
  return { test, feature: asserts, machine, steps, shows: {}, ...(unlike !== undefined && { unlike }) };
}

/** A child machine of a case. */
export function below(config: Config): AnyStateMachine {
  return createMachine(config as never) as AnyStateMachine;
}
