/** The dead letters for hosts: reads are durable; orders are audited, and durable when they resolve. */
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

/** The dead letters of a system: to list, redeliver, edit and discard. */
export class ShardLetters {
  readonly #kernel: Kernel;
  readonly #parse: (to: Cell, event: EventObject) => EventObject;

  /**
   * Makes the box.
   *
   * @param parse Checks an event from outside by the schema of its receiver's agent.
   */
  constructor(kernel: Kernel, parse: (to: Cell, event: EventObject) => EventObject) {
    this.#kernel = kernel;
    this.#parse = parse;
  }

  /** The dead letters as of the last durable epoch, oldest first; all of them, or those of one reason. */
  list(only: { readonly reason?: DeadLetterReason } = {}): readonly DeadLetter[] {
    const letters = this.#kernel.shown.quarantined().map(([number, row]) => deadLetterOf(number, row as DeadLetterRow));
    return only.reason === undefined ? letters : letters.filter(({ reason }) => reason === only.reason);
  }

  /**
   * Moves a letter to the end of its receiver's mailbox; a durable action is tried again. Resolves when that is
   * durable. Rejects with BOSUN_MESSAGE_UNKNOWN, BOSUN_ACTOR_UNKNOWN if the receiver has ended, or BOSUN_SECRET_KEY.
   */
  redeliver(number: number, as: OrderedBy = BY_HOST): Promise<void> {
    return this.#order('redeliver', number, as, (quarantine) => quarantine.redeliver(number, undefined));
  }

  /**
   * Redelivers a letter with another event in its place, one that the agent declares. Rejects as `redeliver` and `send`
   * do, and for an action with BOSUN_EVENT_REFUSED.
   */
  edit<Event extends EventObject>(number: number, event: Event, as: OrderedBy = BY_HOST): Promise<void> {
    return this.#order(
      'edit',
      number,
      as,
      (quarantine) => {
        const { address } = quarantine.row(number);
        const parsed = this.#parse(this.#kernel.directory.living(address), event);
        quarantine.redeliver(number, admit(parsed, `event ${parsed.type}`));
      },
      event,
    );
  }

  /** Removes a letter for good. Resolves when that is durable. Rejects with BOSUN_MESSAGE_UNKNOWN. */
  discard(number: number, as: OrderedBy = BY_HOST): Promise<void> {
    return this.#order('discard', number, as, (quarantine) => quarantine.discard(number));
  }

  /**
   * Calls `handler` for every new letter once it is durable, possibly including those of a turn that ran before the
   * call. Throws BOSUN_SYSTEM_CLOSED before the start.
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
