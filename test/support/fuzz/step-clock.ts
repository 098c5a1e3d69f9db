/**
 * Virtual time for createActor, without promises: due timers run in order of deadline, then of arming, each at its own
 * time.
 */
export class StepClock {
  nowMs = 0;
  /** The owner of the next timer. */
  owner: unknown;
  readonly #alarms = new Map<number, { readonly atMs: number; readonly run: () => void; readonly owner: unknown }>();
  #next = 1;
  #firing: unknown;
  readonly #onCancelled: (isOwn: boolean) => void;

  /**
   * @param onCancelled Called when a due timer is cancelled as a consequence of another due one; with whether both have
   *   one owner.
   */
  constructor(onCancelled: (isOwn: boolean) => void) {
    this.#onCancelled = onCancelled;
  }

  readonly setTimeout = (run: () => void, delayMs: number): number => {
    this.#alarms.set(this.#next, { atMs: this.nowMs + delayMs, run, owner: this.owner });
    return this.#next++;
  };

  readonly clearTimeout = (id: number): void => {
    const alarm = this.#alarms.get(id);
    if (alarm !== undefined && this.#firing !== undefined && alarm.atMs <= this.nowMs)
      this.#onCancelled(alarm.owner === this.#firing);
    this.#alarms.delete(id);
  };

  /** @param onMoment Called at each moment at which timers are due, after they ran. */
  advance(byMs: number, fire: (run: () => void) => void, onMoment: () => void): void {
    const untilMs = this.nowMs + byMs;
    for (let atMs = this.#nextMs(); atMs <= untilMs; atMs = this.#nextMs()) {
      this.nowMs = atMs;
      for (let due = this.#dueAt(atMs); due !== undefined; due = this.#dueAt(atMs)) {
        const { run, owner } = this.#alarms.get(due)!;
        this.#alarms.delete(due);
        this.#firing = owner;
        fire(run);
        this.#firing = undefined;
      }
      onMoment();
    }
    this.nowMs = untilMs;
  }

  #nextMs(): number {
    let next = Infinity;
    for (const { atMs } of this.#alarms.values()) if (atMs < next) next = atMs;
    return next;
  }

  /** The first timer due at a time: the one armed first, because keys rise. */
  #dueAt(atMs: number): number | undefined {
    for (const [id, alarm] of this.#alarms) if (alarm.atMs === atMs) return id;
    return undefined;
  }
}
