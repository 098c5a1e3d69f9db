/**
 * Durable actions: custom actions that an agent declares durable. Each is a row, written with its turn, and run after
 * that epoch until it has returned without throwing: at least once, with the same effect id, in order per actor. One
 * that fails too often is quarantined, and the next one gets its turn. An action outlives its actor.
 */
import { type EventObject } from 'xstate';
import { BosunError, messageOf } from '../../errors.ts';
import { shown } from '../../lending.ts';
import { disown, disownParts, isThenable } from '../../user-code.ts';
import { admitError } from '../model/thrown.ts';
import { type Cell } from '../world/cell.ts';
import { type StoredAction } from '../world/mailbox/dead-letter.ts';
import { isRetryable, retryDelayMs } from '../model/effect-policy.ts';
import { type Definition, type DurableAction, type Effect } from '../model/step-engine.ts';
import { Alarm } from '../world/time/kernel-time.ts';
import { Concealed, type Random, KEYSPACE } from '../model/ports.ts';
import { Queue } from '../model/queue.ts';
import { ActionRef, type RefHost } from '../model/ref.ts';
import { rowKey } from '../model/row-keys.ts';
import { type World } from '../world/world.ts';

interface Entry extends Omit<StoredAction, 'effectId'> {
  readonly address: string;
  failures: number;
  /** Kernel time before which it is not tried again. */
  dueMs: number;
  /** Whether the epoch that recorded it is durable. */
  stored: boolean;
}

type EntryRow = readonly [
  life: number,
  address: string,
  agent: string,
  name: string,
  event: EventObject,
  params: unknown,
  failures: number,
  dueMs: number,
];

/** The actions of one actor: one at a time, in order. */
interface Line {
  readonly life: number;
  readonly entries: Queue<Entry>;
  readonly alarm: Alarm;
  /** The try in progress. */
  trial: Trial | undefined;
  isAdvancing: boolean;
}

interface Trial {
  readonly abort: AbortController;
  readonly untilMs: number;
  readonly end: (failure?: { readonly error: unknown }) => void;
}

export class DurableActions {
  readonly #world: World;
  readonly #refHost: RefHost;
  readonly #random: Random;
  readonly #definitionOf: (agent: string) => Definition | undefined;
  /** Lines by life. */
  readonly #lines = new Map<number, Line>();
  #isClosed = false;

  constructor(parts: {
    world: World;
    refHost: RefHost;
    random: Random;
    definitionOf: (agent: string) => Definition | undefined;
  }) {
    this.#world = parts.world;
    this.#refHost = parts.refHost;
    this.#random = parts.random;
    this.#definitionOf = parts.definitionOf;
  }

  /** Adds an action of a turn. Its values have been admitted. */
  add(
    { identity: { life, address, agent } }: Cell,
    { name, event, params }: Extract<Effect, { kind: 'durable' }>,
  ): void {
    this.#enter({
      number: this.#world.next('message'),
      life,
      address,
      agent,
      name,
      event,
      params,
      failures: 0,
      dueMs: 0,
      stored: false,
    });
  }

  /** Adds an action again that was given up, behind the waiting ones, under its old effect id. */
  again(address: string, { number, life, agent, name, event, params }: StoredAction): void {
    this.#enter({ number, life, address, agent, name, event, params, failures: 0, dueMs: 0, stored: false });
  }

  /** Loads a row that recovery found. */
  load(number: number, row: EntryRow): void {
    const { setBackMs } = this.#world.time;
    const [life, address, agent, name, event, params, failures, storedDueMs] = row;
    // The row stays as it is until a start that has the key.
    if (event instanceof Concealed || params instanceof Concealed) return;
    const dueMs = storedDueMs - setBackMs;
    const entry: Entry = { number, life, address, agent, name, event, params, failures, dueMs, stored: true };
    if (setBackMs > 0) this.#put(entry);
    this.#append(entry);
  }

  /** Runs recovered actions, once the system runs. */
  resume(): void {
    for (const line of this.#lines.values()) this.#world.draft.output(() => this.#advance(line));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Closes: running actions are run again by the next start. */
  close(): void {
    this.halt();
    for (const { trial } of this.#lines.values()) trial?.abort.abort();
  }

  /** Stops running actions without any notification. */
  halt(): void {
    this.#isClosed = true;
    for (const { alarm } of this.#lines.values()) alarm.set(undefined);
  }

  #enter(entry: Entry): void {
    this.#put(entry);
    const line = this.#append(entry);
    this.#world.draft.output(() => {
      entry.stored = true;
      this.#advance(line);
    });
  }

  #append(entry: Entry): Line {
    const { life } = entry;
    const { clock, time, cells } = this.#world;
    let line = this.#lines.get(life);
    if (line === undefined) {
      const made: Line = {
        life,
        entries: new Queue(),
        alarm: new Alarm(clock, time, () => this.#ring(made)),
        trial: undefined,
        isAdvancing: false,
      };
      this.#lines.set(life, (line = made));
    }
    line.entries.push(entry);
    const cell = cells.get(life);
    if (cell !== undefined) cell.unsent += 1;
    return line;
  }

  #put({ number, life, address, agent, name, event, params, failures, dueMs }: Entry): void {
    const row: EntryRow = [life, address, agent, name, event, params, failures, dueMs];
    this.#world.draft.putOf(life, rowKey(KEYSPACE.outbox, number), Object.freeze(row), (conceal) =>
      row.with(4, conceal(event, event.type)).with(5, conceal(params)),
    );
  }

  #ring(line: Line): void {
    const { trial } = line;
    if (trial === undefined) this.#advance(line);
    else if (this.#world.time.nowMs() < trial.untilMs) line.alarm.set(trial.untilMs);
    else {
      const { name, address } = line.entries.peek()!;
      trial.abort.abort();
      trial.end({
        error: new BosunError(
          'BOSUN_EFFECT_TIMEOUT',
          `the durable action ${name} of ${address} took longer than its timeout`,
        ),
      });
    }
  }

  /** Starts the next action. Uses a loop instead of recursion, because many actions may end at once. */
  #advance(line: Line): void {
    if (line.isAdvancing) return;
    line.isAdvancing = true;
    for (let entry = this.#next(line); entry !== undefined; entry = this.#next(line)) this.#try(line, entry);
    line.isAdvancing = false;
  }

  /** The action that may be tried now. */
  #next(line: Line): Entry | undefined {
    const entry = line.entries.peek();
    if (entry === undefined) this.#lines.delete(line.life);
    if (entry?.stored !== true || line.trial !== undefined || this.#isClosed) return undefined;
    if (entry.dueMs <= this.#world.time.nowMs()) return entry;
    line.alarm.set(entry.dueMs);
    return undefined;
  }

  #try(line: Line, entry: Entry): void {
    const action = this.#definitionOf(entry.agent)?.durable?.get(entry.name);
    if (action === undefined) {
      const error = new BosunError(
        'BOSUN_AGENT_UNREADABLE',
        `agent "${entry.agent}" no longer declares the durable action "${entry.name}"`,
      );
      this.#failed(line, entry, { error, policy: undefined });
      return;
    }
    const abort = new AbortController();
    const end: Trial['end'] = (failure) => {
      // A try that took too long, or that the system did not wait for, has been counted already or will be repeated.
      if (line.trial !== trial || this.#isClosed) return;
      line.trial = undefined;
      line.alarm.set(undefined);
      if (failure === undefined) this.#done(line, entry);
      else this.#failed(line, entry, { error: failure.error, policy: action.policy });
      this.#advance(line);
    };
    const trial: Trial = { abort, untilMs: this.#world.time.nowMs() + action.policy.timeoutMs, end };
    line.trial = trial;
    line.alarm.set(trial.untilMs);
    this.#perform(entry, action, trial);
  }

  #perform(entry: Entry, { exec }: DurableAction, { abort: { signal }, end }: Trial): void {
    const { life, address, event, params } = entry;
    const self = new ActionRef(
      this.#refHost,
      { life, address },
      { effectId: effectIdOf(entry), attempt: entry.failures + 1, signal },
    );
    try {
      const result = exec(new ActionInfo(shown(event), self, this.#refHost.system), shown(params));
      if (isThenable(result)) settle(result, end);
      else {
        disownParts(result);
        end();
      }
    } catch (error) {
      disown(error);
      end({ error });
    }
  }

  #done(line: Line, { number, life }: Entry): void {
    line.entries.shift();
    const cell = this.#world.cells.get(life);
    if (cell !== undefined) cell.unsent -= 1;
    this.#world.draft.remove(rowKey(KEYSPACE.outbox, number));
    this.#world.wake();
  }

  #failed(
    line: Line,
    entry: Entry,
    { error, policy }: { error: unknown; policy: DurableAction['policy'] | undefined },
  ): void {
    const { number, life, agent, name, address, event, params } = entry;
    entry.failures += 1;
    const mayRetry = policy !== undefined && isRetryable(policy, error, this.#world.log);
    const delayMs = mayRetry ? retryDelayMs(policy, entry.failures, this.#random.next()) : undefined;
    if (delayMs === undefined) {
      this.#world.log(`durable action ${name} of ${address} was given up: ${messageOf(error)}`);
      this.#world.letters.add({
        reason: 'quarantined',
        address,
        error: admitError(error),
        action: { number, life, agent, name, params, event, effectId: effectIdOf(entry) },
      });
      this.#done(line, entry);
      return;
    }
    entry.dueMs = this.#world.time.nowMs() + delayMs;
    this.#put(entry);
    this.#world.wake();
  }
}

/** The argument of a durable action, in place of XState's. */
class ActionInfo {
  readonly event: unknown;
  readonly self: ActionRef;
  readonly system: object;

  constructor(event: unknown, self: ActionRef, system: object) {
    this.event = event;
    this.self = self;
    this.system = system;
  }

  get context(): never {
    throw new BosunError(
      'BOSUN_AGENT_INVALID',
      'a durable action gets no context, since that may have changed: pass what it needs as params',
    );
  }
}

function effectIdOf({ life, number }: Entry): string {
  return `${life}/action/${number}`;
}

function settle(result: PromiseLike<unknown>, end: Trial['end']): void {
  disown(result);
  new Promise((resolve) => resolve(result)).then(
    () => end(),
    (error: unknown) => {
      disown(error);
      end({ error });
    },
  );
}
