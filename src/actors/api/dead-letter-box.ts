/**
 * The dead letters as hosts see and handle them: what is shown is durable, what is ordered is audited, and durable when
 * it resolves.
 */
import { type EventObject } from 'xstate';
import { type Subscription } from '../world/actor-view.ts';
import { admit } from '../model/value-check.ts';
import { type AuditedOrder, BY_HOST, type OrderedBy } from '../world/audit-record.ts';
import { carryOut } from './audited-order.ts';
import { type Cell } from '../world/cell.ts';
import {
  type DeadLetter,
  deadLetterOf,
  type DeadLetterReason,
  type DeadLetterRow,
} from '../world/mailbox/dead-letter.ts';
import { type Kernel } from '../loop/kernel.ts';
import { type Quarantine } from '../turn/quarantine.ts';

export class DeadLetterBox {
  readonly #kernel: Kernel;
  readonly #parse: (to: Cell, event: EventObject) => EventObject;

  /** @param parse Checks an event from outside by the schema of its receiver's agent. */
  constructor(kernel: Kernel, parse: (to: Cell, event: EventObject) => EventObject) {
    this.#kernel = kernel;
    this.#parse = parse;
  }

  /** As of the last durable epoch, oldest first; all of them, or those of one reason. */
  list(only: { readonly reason?: DeadLetterReason } = {}): readonly DeadLetter[] {
    const letters = this.#kernel.shown.quarantined().map(([number, row]) => deadLetterOf(number, row as DeadLetterRow));
    return only.reason === undefined ? letters : letters.filter(({ reason }) => reason === only.reason);
  }

  /**
   * Takes a letter out and puts it at the end of its receiver's mailbox; a durable action is tried again. Resolves when
   * that is durable. Rejects with BOSUN_MESSAGE_UNKNOWN, BOSUN_ACTOR_UNKNOWN where the receiver has ended, or
   * BOSUN_SECRET_KEY.
   */
  redeliver(number: number, as: OrderedBy = BY_HOST): Promise<void> {
    return this.#order('redeliver', number, as, (quarantine) => quarantine.redeliver(number, undefined));
  }

  /**
   * Like `redeliver` with another event in its place, one that the agent declares. Rejects besides as `send` does, and
   * for an action with BOSUN_EVENT_REFUSED.
   */
  edit<Event extends EventObject>(number: number, event: Event, as: OrderedBy = BY_HOST): Promise<void> {
    return this.#order(
      'edit',
      number,
      as,
      (quarantine) => {
        const { address } = quarantine.row(number);
        const edited = admit(this.#parse(this.#kernel.cell(address), event), `event ${event.type}`);
        quarantine.redeliver(number, edited);
      },
      event,
    );
  }

  /** Takes a letter out for good. Resolves when that is durable. Rejects with BOSUN_MESSAGE_UNKNOWN. */
  discard(number: number, as: OrderedBy = BY_HOST): Promise<void> {
    return this.#order('discard', number, as, (quarantine) => quarantine.discard(number));
  }

  /**
   * Called for every further letter once it is durable. Those of a turn that ran before the call may be among them.
   * Throws BOSUN_SYSTEM_CLOSED before the start.
   */
  subscribe(handler: (letter: DeadLetter) => void): Subscription {
    const { watchers } = this.#kernel.machinery.quarantine.letters;
    watchers.add(handler);
    return { unsubscribe: () => void watchers.delete(handler) };
  }

  async #order(
    order: AuditedOrder,
    number: number,
    as: OrderedBy,
    act: (quarantine: Quarantine) => void,
    event?: EventObject,
  ): Promise<void> {
    const { quarantine } = this.#kernel.machinery;
    const address = quarantine.letters.row(number)?.address ?? '';
    await carryOut(
      this.#kernel,
      { order, address, args: event === undefined ? { number } : { number, event }, as },
      () => act(quarantine),
    );
  }
}
