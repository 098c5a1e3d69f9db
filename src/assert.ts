/** Assertions of Bosun's own rules. A failure is a bug in Bosun, never a fault of the caller or the world. */
import { BosunError } from './errors.ts';

export function assert(condition: unknown, rule: string): asserts condition {
  if (!condition) throw new BosunError('BOSUN_INTERNAL', `broken rule: ${rule}`);
}

export function unreachable(value: never): never {
  throw new BosunError('BOSUN_INTERNAL', `unreachable: ${String(value)}`);
}
