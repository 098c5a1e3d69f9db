/**
 * A kernel with a planted fault: the rows of records, or of results, are entered an epoch after the turn that they
 * belong to. Without crashes nobody notices; a power cut between the two epochs loses the row. For proofs that such a
 * fault is found.
 */
import { Records } from '../../../src/actors/world/records.ts';
import { Results } from '../../../src/actors/world/results.ts';

/** The rows that wait for the next epoch, by the part of the kernel that has put them off. */
type Waiting = WeakMap<object, (() => void)[]>;

function isWaiting(waiting: Waiting, owner: object): boolean {
  return (waiting.get(owner)?.length ?? 0) > 0;
}

function putOff(waiting: Waiting, owner: object, row: () => void): void {
  waiting.set(owner, [...(waiting.get(owner) ?? []), row]);
}

function catchUp(waiting: Waiting, owner: object): void {
  const rows = waiting.get(owner) ?? [];
  waiting.delete(owner);
  for (const row of rows) row();
}

type Part = typeof Records.prototype | typeof Results.prototype;

/** Makes a part of the kernel catch up before each slice, and have a slice taken for it. Returns how to undo that. */
function withCatchUp(prototype: Part, waiting: Waiting): () => void {
  const busy = Object.getOwnPropertyDescriptor(prototype, 'isBusy')!;
  const { tidy } = prototype;
  const isBusy = busy.get as (this: object) => boolean;
  Object.defineProperty(prototype, 'isBusy', {
    ...busy,
    get(this: object) {
      return isWaiting(waiting, this) || isBusy.call(this);
    },
  });
  prototype.tidy = function (this: never) {
    catchUp(waiting, this);
    tidy.call(this);
  };
  return () => {
    Object.defineProperty(prototype, 'isBusy', busy);
    prototype.tidy = tidy;
  };
}

/** Enters records an epoch late from now on. Returns how to end that. */
export function lateRecords(): () => void {
  const waiting: Waiting = new WeakMap();
  const { append } = Records.prototype;
  const undo = withCatchUp(Records.prototype, waiting);
  Records.prototype.append = function (cell, entry) {
    putOff(waiting, this, () => append.call(this, cell, entry));
  };
  return () => {
    Records.prototype.append = append;
    undo();
  };
}

/** Enters results an epoch late from now on. Returns how to end that. */
export function lateResults(): () => void {
  const waiting: Waiting = new WeakMap();
  const { keep } = Results.prototype;
  const undo = withCatchUp(Results.prototype, waiting);
  Results.prototype.keep = function (cell) {
    const { parent, state } = cell;
    if (parent?.role.supervises !== true || cell.role.supervises || cell.bond !== 'supervised' || state.seq === 0)
      return keep.call(this, cell);
    putOff(waiting, this, () => keep.call(this, cell));
    return true;
  };
  return () => {
    Results.prototype.keep = keep;
    undo();
  };
}
