/** The means of the agents of this example: the system that they live in, and the world around it. */
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type System } from 'bosun';
import { type Coder } from './coder.ts';
import { type Outside } from './outside.ts';
import { type Repository } from './repository.ts';

export interface Workplace {
  /** The directory of the example's data. */
  readonly data: string;
  /** The system, once it has been made. */
  system(): System;
  readonly repository: Repository;
  readonly outside: Outside;
  readonly coder: Coder;
  /** Milliseconds that each step of a session takes at least, so that a person can follow. */
  readonly paceMs: number;
  /** Milliseconds for which a person is waited for, before the stand-in speaks. */
  readonly patienceMs: number;
}

/** The line by which a person enters a verb for this data, in the directory in which the example was started. */
export function bosunLine(data: string, verb: string): string {
  return data === resolve('data') ? `npx bosun ${verb}` : `npx bosun ${verb} --data ${data}`;
}

/** The name under which the stand-in answers for people. */
export const STAND_IN = 'stand-in';

/** Does the work of a step, for as long as a step takes at least. */
export async function paced<T>({ paceMs }: Workplace, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const [result] = await Promise.all([work(), wait(paceMs, undefined, { signal })]);
  return result;
}
