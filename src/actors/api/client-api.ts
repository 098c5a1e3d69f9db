/**
 * The API for a gateway, beyond the one for hosts: accepted events, snapshot versions, a notification per durable
 * epoch, and sends that throw at once where they are refused. Reads are durable, as all reads are.
 */
import { type AnyStateMachine, type EventObject } from 'xstate';
import { taken } from '../xstate/acceptance.ts';
import { BosunError } from '../../errors.ts';
import { chainOf, observe, type Subscription } from '../world/actor-view.ts';
import { type AnyAgent, parseEvent } from '../model/agent.ts';
import { Arrival, Awaited, Batch, type SendLine, type Session } from '../world/mailbox/inbound.ts';
import { type AskOptions } from '../world/talk/ask-record.ts';
import { type Cell } from '../world/cell.ts';
import { type RunningPromise } from '../world/effects/running-promises.ts';
import { type Kernel } from '../loop/kernel.ts';
import { FROM_CLIENT } from '../world/mailbox/message.ts';
import { type ResultPlace } from '../model/results.ts';
import { type TraceRecord } from '../model/trace-record.ts';
import { machineOf } from '../xstate/microsteps.ts';
import { type ShardRecords } from './record-box.ts';
import { refusalOf, throwRefused } from './refused-sends.ts';
import { eachWait, type Wait } from './waits.ts';

/** The version of a snapshot: equal versions of one address are equal snapshots, also across restarts. */
export interface Version {
  readonly life: number;
  /** Number of changes so far. */
  readonly seq: number;
  /** Hash of all changes so far. */
  readonly hash: number;
  readonly isSuspended: boolean;
}

export interface DeliverOptions {
  readonly session?: Session | undefined;
}

export interface DeliverTakenOptions extends DeliverOptions {
  /** Ignores the event where the actor is at another sequence when the event's turn comes. */
  readonly ifSequence?: number | undefined;
  /** `refuse`: throws the reason of the suspension instead of waiting until the actor is resumed. Default: `wait`. */
  readonly ifSuspended?: 'wait' | 'refuse';
}

/** An event that is sent with others. */
export interface LineRequest extends DeliverOptions {
  /** Address of the receiver. */
  readonly to: string;
  readonly event: EventObject;
}

/** The agents of the system. */
interface Agents {
  known(): Iterable<AnyAgent>;
  named(name: string): AnyAgent | undefined;
  /** Returns the agent whose events an actor accepts. */
  of(cell: Cell): AnyAgent | undefined;
  /** Returns the agent whose events an actor accepts; throws if there is none. */
  receiver(cell: Cell): AnyAgent;
}

/** The API of a system for a gateway, beyond the one for hosts. It may change in any release. */
export class ClientApi {
  readonly #kernel: Kernel;
  readonly #agents: Agents;
  readonly #records: ShardRecords;

  constructor(kernel: Kernel, agents: Agents, records: ShardRecords) {
    this.#kernel = kernel;
    this.#agents = agents;
    this.#records = records;
  }

  /** Agents that the system has met so far, by name. */
  agents(): readonly AnyAgent[] {
    return [...this.#agents.known()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  agent(name: string): AnyAgent | undefined {
    return this.#agents.named(name);
  }

  /**
   * The agent that an actor runs, or has run that has ended; undefined for a Boss and for a machine's child. Throws
   * BOSUN_ACTOR_UNKNOWN.
   */
  agentAt(address: string): AnyAgent | undefined {
    const ended = this.#endAt(address);
    return ended === undefined ? this.#agents.of(this.#kernel.directory.observed(address)) : this.agent(ended[0]);
  }

  /**
   * The agent of an actor, or of the nearest one above it that runs an agent; undefined for Bosses. Throws
   * BOSUN_ACTOR_UNKNOWN.
   */
  ownerAt(address: string): AnyAgent | undefined {
    let cell: Cell | undefined = this.#kernel.directory.observed(address);
    while (cell?.bond === 'invoked') cell = cell.parent;
    return cell && this.#agents.of(cell);
  }

  /**
   * The machine that an actor runs, of any version, also for Bosses and children of machines; that of the agent of an
   * actor that has ended; undefined for other logic. Throws BOSUN_ACTOR_UNKNOWN.
   */
  machineAt(address: string): AnyStateMachine | undefined {
    const ended = this.#endAt(address);
    if (ended !== undefined) return this.agent(ended[0])?.machine;
    return machineOf(this.#kernel.directory.observed(address).definition);
  }

  /** Whether the birth of an actor at this address is durable, and the actor is not gone. */
  isBorn(address: string): boolean {
    return this.#kernel.directory.isBorn(address);
  }

  /** The version of an actor's snapshot. Throws BOSUN_ACTOR_UNKNOWN. */
  version(address: string): Version {
    const cell = this.#kernel.directory.observed(address);
    const { seq, hash } = chainOf(cell) ?? { seq: 0, hash: 0 };
    return { life: cell.life, seq, hash, isSuspended: cell.durable?.suspension !== undefined };
  }

  /**
   * Notifies of every further durable epoch that changes the actor, and of its end, without computing snapshots. Throws
   * BOSUN_ACTOR_UNKNOWN.
   */
  watch(address: string, observer: { changed(): void; ended(): void }): Subscription {
    return observe(this.#kernel.directory.observed(address), observer);
  }

  /** Types of the declared events that the current state handles, guards aside. Throws BOSUN_ACTOR_UNKNOWN. */
  accepts(address: string): readonly string[] {
    return this.acceptedBy(this.#kernel.directory.observed(address));
  }

  /** Types of the declared events that an actor's current state handles, guards aside. */
  acceptedBy(cell: Cell): readonly string[] {
    const { durable } = cell;
    const agent = this.#agents.of(cell);
    if (agent === undefined || durable === undefined || durable.suspension !== undefined) return [];
    const { state, snapshot } = durable;
    return taken({ definition: cell.definition, state, snapshot }, Object.keys(agent.events));
  }

  // Events of clients are marked apart from those of hosts (`from`): a failure that they cause does not count against a
  // Boss's intensity.

  /**
   * Sends like `System.send`, but throws at once where the event is refused, so that a caller knows what to send next.
   */
  deliver(
    address: string,
    event: EventObject,
    { session }: DeliverOptions = {},
    from: number = FROM_CLIENT,
  ): Promise<void> {
    const host = new Awaited();
    const to = this.#kernel.directory.living(address);
    this.#kernel.ingress.receive(new Arrival(to, host, from, session), event, this.#agents.receiver(to));
    return host.promise;
  }

  /** Sends like `System.sendMany`. */
  async deliverMany(requests: readonly LineRequest[], from: number = FROM_CLIENT): Promise<void> {
    if (!Array.isArray(requests))
      throw new BosunError('BOSUN_EVENT_INVALID', 'sendMany takes a list of { to, event, session? }');
    const batch = new Batch(requests.length);
    for (let index = 0; index < requests.length; index++) {
      try {
        this.deliverOn(batch.line, index, requests[index]!, from);
      } catch (error) {
        batch.refused(index, refusalOf(error, index).error);
      }
    }
    throwRefused(requests.length, await batch.promise);
  }

  /** Sends like `deliver`, but on a line: the line's listener is told by `number` what becomes of the event. */
  deliverOn(
    line: SendLine,
    number: number,
    { to: address, event, session }: LineRequest,
    from: number = FROM_CLIENT,
  ): void {
    const to = this.#kernel.directory.living(address);
    this.#kernel.ingress.receive(new Arrival(to, line, from, session, number), event, this.#agents.receiver(to));
  }

  /**
   * Sends like `deliver`, but resolves when the resulting turn is durable: with whether the state handled the event, or
   * null if that is not known because the event is a repeat or nothing runs. Also rejects with
   * BOSUN_EVENT_NOT_TAKEN if the actor ended first, with BOSUN_ASK_FAILED if the actor crashed over the event
   * until that was quarantined, and with BOSUN_ACTOR_CHANGED.
   */
  deliverTaken(address: string, event: EventObject, options: DeliverTakenOptions = {}): Promise<boolean | null> {
    const { to, event: parsed, mailboxMessages } = this.#parsed(address, event);
    return this.#kernel.ingress.take(to, parsed, mailboxMessages, { ...options, from: FROM_CLIENT });
  }

  /** Asks like `System.ask`, but throws at once where the event is refused. */
  ask(address: string, event: EventObject, options: AskOptions, from: number = FROM_CLIENT): Promise<unknown> {
    return this.#kernel.ingress.ask(address, options, () => ({ ...this.#parsed(address, event), from }));
  }

  /** Parses an event by the schema of its receiver's agent. Throws the errors with which `System.send` rejects. */
  #parsed(address: string, event: EventObject): { to: Cell; event: EventObject; mailboxMessages: number } {
    const to = this.#kernel.directory.living(address);
    const agent = this.#agents.receiver(to);
    return { to, event: parseEvent(agent, event), mailboxMessages: agent.limits.mailboxMessages };
  }

  /** The waits, step by step: others may work between two steps. Throws BOSUN_SYSTEM_CLOSED before the start. */
  waits(): Iterable<readonly Wait[]> {
    return eachWait(this.#kernel);
  }

  /** The promises of user code that run now, for tests. Throws BOSUN_SYSTEM_CLOSED before the start. */
  runningPromises(): readonly RunningPromise[] {
    return this.#kernel.machinery.effects.runningPromises();
  }

  /**
   * Listens to turns like `admin.onTurn`, also at an address without an actor.
   *
   * @returns A function that ends it.
   */
  onTurn(address: string, handler: (record: TraceRecord) => void): () => void {
    return this.#kernel.machinery.world.tracing.listen(address, handler);
  }

  /**
   * The oldest durable turns after a number that are below an address, and the number up to which the list is complete.
   * Most have names only.
   */
  turnsBehind(
    number: number,
    address: string,
    limit: number,
  ): { readonly records: readonly TraceRecord[]; readonly through: number } {
    return this.#kernel.machinery.world.tracing.behind(number, address, limit);
  }

  /** The numbers of the oldest remembered turn and of the last durable one. */
  get turns(): { readonly oldest: number; readonly end: number } {
    const { oldest, durable } = this.#kernel.machinery.world.tracing;
    return { oldest, end: durable };
  }

  /**
   * The life whose records of a name these are, and the numbers of the oldest kept and the newest record; 0 if there
   * has been none. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_RECORDS_UNKNOWN.
   */
  recordNumbers(
    address: string,
    name: string,
  ): { readonly life: number; readonly first: number; readonly last: number } {
    const { recorder, first, next } = this.#records.spanAt(address, name);
    return { life: recorder.life, first, last: next - 1 };
  }

  /** Resolves when the next epoch is durable, or the system has closed. */
  nextEpoch(): Promise<void> {
    return this.#kernel.nextEpoch();
  }

  get isRunning(): boolean {
    return this.#kernel.isRunning;
  }

  /** Kernel time, milliseconds since 1970; undefined before the start. */
  get nowMs(): number | undefined {
    return this.#kernel.world?.time.nowMs();
  }

  /** Where the result of the actor is that has ended at an address; undefined if one lives there, or none is kept. */
  #endAt(address: string): ResultPlace | undefined {
    return this.#kernel.shown.at(address) ? undefined : this.#kernel.world?.results.at(address);
  }
}
