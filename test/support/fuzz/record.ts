/**
 * The records of a run per actor and kind, in order, and the coverage of features, to show that the run met all of
 * them. Machines name themselves by `context.me`, which is their address under Bosun: `m3`, `m3/k0`, `m3/k0/p1`.
 */
import { recordText } from './holding.ts';

export type Kind = 'action' | 'emitted' | 'log' | 'received' | 'reduced';

/** The way in which a random action or guard throws. `boom` stands alone in its transition, so nothing follows it. */
export type Accident = 'pure' | 'boom' | 'action';

export class Recorder {
  /** Whether records are lines of this recorder, as under createActor, where nothing else keeps them. */
  readonly keepsRecords: boolean;
  /** Lines since the last `take`. */
  #lines = new Map<string, string[]>();
  #accidents = new Map<string, Accident>();
  /** Number of records since the last `take`. */
  recorded = 0;
  /** Records so far, by `me name`. */
  readonly records = new Map<string, string[]>();
  /** Called at each line. */
  onNote: (me: string) => void = () => {};

  constructor({ keepsRecords = false }: { readonly keepsRecords?: boolean } = {}) {
    this.keepsRecords = keepsRecords;
  }

  note(me: string, kind: Kind, line: string): void {
    this.onNote(me);
    const key = `${me} ${kind}`;
    const lines = this.#lines.get(key);
    if (lines === undefined) this.#lines.set(key, [line]);
    else lines.push(line);
  }

  /** Takes the place of the action `record`. */
  record(me: string, name: string, value: object): void {
    this.onNote(me);
    this.recorded += 1;
    const key = `${me} ${name}`;
    this.records.set(key, [...(this.records.get(key) ?? []), recordText(value)]);
  }

  /** Records an accident; called right before a throw. */
  accident(me: string, accident: Accident): void {
    if (!this.#accidents.has(me)) this.#accidents.set(me, accident);
  }

  accidentOf(me: string): Accident | undefined {
    return this.#accidents.get(me);
  }

  /** Takes the lines since the last call, by `me kind`. */
  take(): Map<string, string[]> {
    const lines = this.#lines;
    this.#lines = new Map();
    this.recorded = 0;
    return lines;
  }
}

/** Counts of each feature under createActor. */
export class Coverage {
  readonly #counts = new Map<string, number>();

  count(what: string, times = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  toString(): string {
    return [...this.#counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([what, times]) => `  ${what.padEnd(34)}${times}`)
      .join('\n');
  }
}
