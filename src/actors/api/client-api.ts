/**
 * What a door to the outside needs beyond what hosts use: who takes which events, a version of what is shown, word of
 * every durable epoch, and sends that throw at once where they are refused. Reads are durable, as all reads are.
 */
import { type AnyStateMachine, type EventObject } from 'xstate';
import { taken } from '../xstate/acceptance.ts';
import { observe, type Subscription } from '../world/actor-view.ts';
import { type AnyAgent, parseEvent } from '../model/agent.ts';
import { type Session } from '../world/mailbox/inbound.ts';
import { type AskOptions } from '../world/talk/ask-record.ts';
import { type Cell } from '../world/cell.ts';
import { type Kernel } from '../loop/kernel.ts';
import { FROM_CLIENT } from '../world/mailbox/message.ts';
import { type TraceRecord } from '../model/trace-record.ts';
import { machineOf } from '../xstate/microsteps.ts';

/** Names what an actor looked like: equal versions of one address look equal, over restarts too. */
export interface Version {
  readonly life: number;
  /** Changes so far. */
  readonly seq: number;
  /** Of everything that led there. */
  readonly hash: number;
  readonly isSuspended: boolean;
}

export interface DeliverOptions {
  readonly session?: Session | undefined;
}

export interface DeliverTakenOptions extends DeliverOptions {
  /** Nothing happens where the actor is at another sequence when the event's turn comes. */
  readonly ifSequence?: number | undefined;
}

/** The agents of the system. */
interface Agents {
  known(): Iterable<AnyAgent>;
  named(name: string): AnyAgent | undefined;
  /** The agent whose events an actor takes. */
  of(cell: Cell): AnyAgent | undefined;
  /** The same; throws where there is none. */
  receiver(cell: Cell): AnyAgent;
}

export class ClientApi {
  readonly #kernel: Kernel;
  readonly #agents: Agents;

  constructor(kernel: Kernel, agents: Agents) {
    this.#kernel = kernel;
    this.#agents = agents;
  }

  /** Agents that the system has met so far, by name. */
  agents(): readonly AnyAgent[] {
    return [...this.#agents.known()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  agent(name: string): AnyAgent | undefined {
    return this.#agents.named(name);
  }

  /** The agent that an actor runs; undefined for a Boss and for a machine's child. Throws BOSUN_ACTOR_UNKNOWN. */
  agentAt(address: string): AnyAgent | undefined {
    return this.#agents.of(this.#kernel.observed(address));
  }

  /** The agent that an actor or else the next one above it runs; undefined for Bosses. Throws BOSUN_ACTOR_UNKNOWN. */
  ownerAt(address: string): AnyAgent | undefined {
    let cell: Cell | undefined = this.#kernel.observed(address);
    while (cell?.bond === 'invoked') cell = cell.parent;
    return cell && this.#agents.of(cell);
  }

  /**
   * The machine that an actor runs, of whatever version, Bosses and children of machines included; undefined for other
   * logic. Throws BOSUN_ACTOR_UNKNOWN.
   */
  machineAt(address: string): AnyStateMachine | undefined {
    return machineOf(this.#kernel.observed(address).definition);
  }

  /** Throws BOSUN_ACTOR_UNKNOWN. */
  version(address: string): Version {
    const { durable, life } = this.#kernel.observed(address);
    const { seq = 0, hash = 0 } = durable?.state ?? {};
    return { life, seq, hash, isSuspended: durable?.suspension !== undefined };
  }

  /**
   * Told of every further durable epoch that changes the actor, and of its end; nothing is worked out for it. Throws
   * BOSUN_ACTOR_UNKNOWN.
   */
  watch(address: string, observer: { changed(): void; ended(): void }): Subscription {
    return observe(this.#kernel.observed(address), observer);
  }

  /** Types of the declared events that the present state takes, guards aside. Throws BOSUN_ACTOR_UNKNOWN. */
  accepts(address: string): readonly string[] {
    const cell = this.#kernel.observed(address);
    const { durable } = cell;
    const agent = this.#agents.of(cell);
    if (agent === undefined || durable === undefined || durable.suspension !== undefined) return [];
    return taken(durable.snapshot, Object.keys(agent.events));
  }

  // What clients send is told apart from what hosts send (`from`): a failure that it brings about counts against no
  // Boss's intensity.

  /** As `System.send`, but throws at once where the event is refused, so that a caller knows what to send next. */
  deliver(
    address: string,
    event: EventObject,
    { session }: DeliverOptions = {},
    from: number = FROM_CLIENT,
  ): Promise<void> {
    const { to, event: parsed, mailboxMessages } = this.#parsed(address, event);
    return this.#kernel.ingress.send(to, parsed, mailboxMessages, session, from);
  }

  /**
   * As `deliver`, but resolves when the turn that the event causes is durable: with whether the state took it, or null
   * where that is not known because it is a repeat or nothing runs. Rejects besides with BOSUN_EVENT_NOT_TAKEN where
   * the actor ended first, with BOSUN_ASK_FAILED where it crashed over the event until that was put aside, and with
   * BOSUN_ACTOR_CHANGED.
   */
  deliverTaken(
    address: string,
    event: EventObject,
    { session, ifSequence }: DeliverTakenOptions = {},
  ): Promise<boolean | null> {
    const { to, event: parsed, mailboxMessages } = this.#parsed(address, event);
    return this.#kernel.ingress.take(to, parsed, mailboxMessages, { session, from: FROM_CLIENT, ifSequence });
  }

  /** As `System.ask`, but throws at once where the event is refused. */
  ask(address: string, event: EventObject, options: AskOptions, from: number = FROM_CLIENT): Promise<unknown> {
    return this.#kernel.ingress.ask(address, options, () => ({ ...this.#parsed(address, event), from }));
  }

  /** An event as the schema of its receiver's agent has it. Throws what `System.send` rejects with. */
  #parsed(address: string, event: EventObject): { to: Cell; event: EventObject; mailboxMessages: number } {
    const to = this.#kernel.cell(address);
    const agent = this.#agents.receiver(to);
    return { to, event: parseEvent(agent, event), mailboxMessages: agent.limits.mailboxMessages };
  }

  /** As `admin.onTurn`, also where nobody lives yet. @returns What ends it. */
  onTurn(address: string, handler: (record: TraceRecord) => void): () => void {
    return this.#kernel.machinery.world.tracing.listen(address, handler);
  }

  /**
   * The oldest durable turns behind a number that are below an address, and up to which number that is all of them. Of
   * most only names are there.
   */
  turnsBehind(
    number: number,
    address: string,
    limit: number,
  ): { readonly records: readonly TraceRecord[]; readonly through: number } {
    return this.#kernel.machinery.world.tracing.behind(number, address, limit);
  }

  /** The numbers of the oldest turn that is remembered, and of the last durable one. */
  get turns(): { readonly oldest: number; readonly end: number } {
    const { oldest, durable } = this.#kernel.machinery.world.tracing;
    return { oldest, end: durable };
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
}
