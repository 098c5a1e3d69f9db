/**
 * The desks of the crew as verbs see them: of a running system through its gateway, or in a stopped store, where an
 * order is left for the next start. What is not there, or is refused, is an error with a code, and so an exit code.
 */
import { BosunError, isBosunError } from '../errors.ts';
import { withData } from './data-work.ts';
import { type ExitCode } from './exit-codes.ts';
import { type LiveGateway } from './live-gateway.ts';
import { type OrderReply } from '../machines/people/turn.ts';
import { type DataCommand } from './surroundings.ts';
import { type System } from '../system.ts';
import { type Shown } from '../table.ts';

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
  /** Undefined where there is no such actor, and of one that has not begun. */
  look<Context>(address: string): Promise<Looked<Shown<Context>> | undefined>;
  /** Resolves when it is carried out, or left for the next start. Rejects with BOSUN_EVENT_REFUSED and why. */
  order(desk: string, event: DeskOrder): Promise<void>;
}

export function withDesks(command: DataCommand, work: (view: DeskView) => Promise<void>): Promise<ExitCode> {
  return withData(command, {
    live: (gateway) => work(liveView(gateway)),
    stopped: (system) => work(storedView(system)),
  });
}

/** The record of an id. Throws where there is none. */
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

function liveView(gateway: LiveGateway): DeskView {
  return {
    isLive: true,
    async look<Context>(address: string) {
      try {
        return begun(await gateway.actor<Context>(address));
      } catch (error) {
        if (isBosunError(error, 'BOSUN_ACTOR_UNKNOWN')) return undefined;
        throw error;
      }
    },
    async order(desk, event) {
      const { reply } = await gateway.call<{ reply: OrderReply | null }>('actor.ask', { address: desk, event });
      if (reply?.taken === false) throw refusedOrder(reply.problems.join('; '));
    },
  };
}

function storedView(system: System): DeskView {
  return {
    isLive: false,
    look<Context>(address: string) {
      const snapshot = system.snapshot(address);
      // Its record is of another version of Bosun: better said than read wrongly.
      if (snapshot?.status === 'suspended') throw snapshot.error;
      return Promise.resolve(
        snapshot && begun({ value: snapshot.value, context: snapshot.context as Shown<Context> | undefined }),
      );
    },
    order: (desk, event) => system.send(desk, event),
  };
}

/** A desk may know of a gate or a debate an epoch before its actor has taken its first turn. */
function begun<Context>({ value, context }: Looked<Context | null | undefined>): Looked<Context> | undefined {
  return context === null || context === undefined ? undefined : { value, context };
}
