/**
 * The crew's desks as verbs see them: in a running system through its gateway, or in a stopped store, where orders are
 * left for the next start. Missing and refused things are errors with codes, which decide the exit code.
 */
import { type RecordPage, type RecordsOptions } from '../../actors/api/record-pages.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { withData } from '../reach/data-work.ts';
import { type ExitCode } from '../exit-codes.ts';
import { Foresight } from './foresight.ts';
import { type LiveGateway } from '../reach/live-gateway.ts';
import { type OrderReply, TAKEN } from '../../machines/rules/turn.ts';
import { type DataCommand } from '../surroundings.ts';
import { type Shard } from '../../shard.ts';
import { type Whole } from '../../table.ts';

export interface Looked<Context> {
  readonly value: unknown;
  readonly context: Context;
}

export interface DeskOrder {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface DeskView {
  readonly isLive: boolean;
  /** Reads an actor with all rows of its tables. Undefined if there is no such actor, or if it has not begun. */
  look<Context>(address: string): Promise<Looked<Whole<Context>> | undefined>;
  /**
   * Calls a procedure that reads. Undefined if the system does not run, does not offer the procedure, or has no such
   * desk.
   */
  told?<Answer>(procedure: string, params: Readonly<Record<string, unknown>>): Promise<Answer | undefined>;
  /** Reads a page of an actor's records. */
  records(address: string, name: string, which: RecordsOptions): Promise<RecordPage>;
  /**
   * Gives an order. Resolves, with the desk's reply, when it is carried out or stored for the next start. Rejects with
   * BOSUN_EVENT_REFUSED and the reason.
   */
  order(desk: string, event: DeskOrder): Promise<OrderReply>;
}

export function withDesks(command: DataCommand, work: (view: DeskView) => Promise<void>): Promise<ExitCode> {
  return withData(command, {
    live: (gateway) => work(liveView(gateway)),
    stopped: (system) => work(storedView(system)),
  });
}

/**
 * Does work that gives orders. In a stopped store the view shows what the orders left before make of it, and an order
 * is tried there before it is left.
 */
export function withOrders(command: DataCommand, work: (view: DeskView) => Promise<void>): Promise<ExitCode> {
  return withData(command, {
    live: (gateway) => work(liveView(gateway)),
    async stopped(system, held) {
      const ahead = await Foresight.of(held);
      try {
        await work(ahead === undefined ? storedView(system) : aheadView(system, ahead));
      } finally {
        ahead?.end();
      }
    },
  });
}

function aheadView(system: Shard, ahead: Foresight): DeskView {
  return {
    ...storedView(ahead.system),
    async order(desk, event) {
      const reply = await ahead.reply(desk, event);
      if (reply?.taken === false) throw refusedOrder(reply.problems.join('; '));
      return storedView(system).order(desk, event);
    },
  };
}

/** The record of an id. Throws if there is none. */
export function found<Row extends { readonly id: string }>(rows: readonly Row[], id: string, missing: string): Row {
  const row = rows.find((known) => known.id === id);
  if (row === undefined) throw notThere(missing);
  return row;
}

export function notThere(what: string): BosunError {
  return new BosunError('BOSUN_ACTOR_UNKNOWN', what);
}

export function refusedOrder(why: string): BosunError {
  return new BosunError('BOSUN_EVENT_REFUSED', why);
}

export function liveView(gateway: LiveGateway): DeskView {
  let offers: ReturnType<LiveGateway['offers']> | undefined;
  return {
    isLive: true,
    async told<Answer>(procedure: string, params: Readonly<Record<string, unknown>>) {
      const offer = (await (offers ??= gateway.offers())).find(({ name }) => name === procedure);
      if (offer === undefined) return undefined;
      // The row of the procedure has checked the answer.
      return orNone(gateway.callOffered(offer, params) as Promise<Answer>);
    },
    async look<Context>(address: string) {
      const seen = await orNone(gateway.actor<Context>(address));
      return seen && begun(seen);
    },
    records: (address, name, which) => gateway.call<RecordPage>('record.list', { address, name, ...which }),
    async order(desk, event) {
      const { reply } = await gateway.call<{ reply: OrderReply | null }>('actor.ask', { address: desk, event });
      if (reply?.taken === false) throw refusedOrder(reply.problems.join('; '));
      return reply ?? TAKEN;
    },
  };
}

function storedView(system: Shard): DeskView {
  return {
    isLive: false,
    look<Context>(address: string) {
      const snapshot = system.snapshot(address);
      // The record is of another version of Bosun: report that instead of misreading it.
      if (snapshot?.status === 'suspended') throw snapshot.error;
      return Promise.resolve(
        snapshot && begun({ value: snapshot.value, context: snapshot.context as Whole<Context> | undefined }),
      );
    },
    records: (address, name, which) => system.records.list(address, name, which),
    order: async (desk, event) => {
      await system.send(desk, event);
      return TAKEN;
    },
  };
}

/** An answer about an actor; undefined if there is no such actor. */
async function orNone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isBosunError(error, 'BOSUN_ACTOR_UNKNOWN')) return undefined;
    throw error;
  }
}

/** Filters out an actor before its first turn, since a desk may know of a gate or a debate an epoch earlier. */
function begun<Context>({ value, context }: Looked<Context | null | undefined>): Looked<Context> | undefined {
  return context === null || context === undefined ? undefined : { value, context };
}
