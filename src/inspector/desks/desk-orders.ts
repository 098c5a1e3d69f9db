/** Orders of people to desks: the event and its desk, and the meaning of the reply. Pure. */
import { type Field, type Typed } from '../actor/schema-form.ts';
import type { OrderReply } from '../../machines/rules/turn.ts';
import { type BatchRow, type PauseRow } from './desk-shapes.ts';

export interface DeskOrder {
  readonly title: string;
  /** Label of the button. */
  readonly verb: string;
  readonly means: string;
  readonly isDangerous?: boolean;
  readonly address: string;
  readonly fields: readonly Field[];
  /** Makes the event from the fields' contents; `by` is the user's name. */
  readonly eventOf: (typed: Typed, nowMs: number) => { readonly type: string; readonly [field: string]: unknown };
  /** Message after success. */
  readonly done: string;
  /** A call whose answer is shown before the order can be given, as lines: whom the order concerns. */
  readonly concerns?: {
    readonly title: string;
    readonly method: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly lines: (answer: never) => readonly string[];
    /** Shown where there is no line. */
    readonly nobody: string;
  };
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** The field of every order that names its author. */
export const BY: Field = field('by', { description: 'Your name, as it goes on record.' });

export function withdrawGate(desk: string, gate: string): DeskOrder {
  return {
    title: `Withdraw ${gate}`,
    verb: 'Withdraw',
    isDangerous: true,
    address: desk,
    fields: [BY, field('reason')],
    means: 'The question is withdrawn without an answer: an item that waits for it is paused.',
    eventOf: ({ by = '', reason = '' }) => ({ type: 'gate.withdraw', gate, by, reason }),
    done: `${gate} is withdrawn.`,
  };
}

export function extendGate(desk: string, gate: string): DeskOrder {
  return {
    title: `More time for ${gate}`,
    verb: 'Extend',
    address: desk,
    fields: [
      field('hours', { kind: 'number', initial: '2', hint: 'counted from the deadline as it stands' }),
      BY,
      field('reason'),
    ],
    means: 'The deadline moves. Reminders stay as they are.',
    eventOf: ({ hours = '', by = '', reason = '' }) => ({
      type: 'gate.extend',
      gate,
      byMs: Math.round(Number(hours) * HOUR_MS),
      by,
      reason,
    }),
    done: `${gate} has more time.`,
  };
}

export function acknowledgeAlert(desk: string, id: string, title: string): DeskOrder {
  return {
    title: `Acknowledge: ${title}`,
    verb: 'Acknowledge',
    address: desk,
    fields: [BY],
    means: 'You have seen it and take care of it. It is neither repeated nor escalated.',
    eventOf: ({ by = '' }) => ({ type: 'alert.acknowledge', id, by }),
    done: 'Acknowledged.',
  };
}

export function chooseButton(
  desk: string,
  id: string,
  button: {
    readonly name: string;
    readonly label: string;
    readonly to: string | null;
    readonly event: { readonly type: string } | null;
  },
): DeskOrder {
  const { name, label, to, event } = button;
  return {
    title: label,
    verb: label,
    address: desk,
    fields: [BY],
    isDangerous: event?.type === 'item.cancel',
    means:
      event === null
        ? 'The card is marked as opened.'
        : `Sends ${event.type} to ${String(to)}, and acknowledges the card.`,
    eventOf: ({ by = '' }) => ({ type: 'alert.choose', id, action: name, by }),
    done: `${label}: on its way.`,
  };
}

export function resumeBatch(
  desk: string,
  { id, concurrencyLimit, paused }: Pick<BatchRow, 'id' | 'concurrencyLimit' | 'paused'>,
): DeskOrder {
  return {
    title: `Resume ${id}`,
    verb: 'Resume all',
    address: desk,
    fields: [field('at a time', { kind: 'integer', initial: String(concurrencyLimit), hint: '1 to 1000' })],
    means: `${paused} paused items are resumed, gate timeouts first and manual pauses last, as resources allow.`,
    eventOf: (typed) => ({ type: 'batch.resume', batchId: id, concurrencyLimit: Number(typed['at a time']) }),
    done: `${id} resumes.`,
  };
}

export function resumeItem(coordinator: string, item: string): DeskOrder {
  return {
    title: `Resume ${item}`,
    verb: 'Resume',
    address: coordinator,
    fields: [],
    means: 'It resumes from its checkpoint: tasks that failed or never began run, and so do those that depend on them.',
    eventOf: () => ({ type: 'resume.command', item, resumePlan: null, notify: true }),
    done: `${item} resumes.`,
  };
}

export function extendPause(
  coordinator: string,
  { item, pausedAtMs }: Pick<PauseRow, 'item' | 'pausedAtMs'>,
): DeskOrder {
  return {
    title: `Extend the pause of ${item}`,
    verb: 'Extend',
    address: coordinator,
    fields: [
      field('until day', { kind: 'integer', initial: '21', hint: '15 to 30, counted from its beginning' }),
      field('reason'),
    ],
    means: 'Once only. Without it the pause is stale on day 14.',
    eventOf: ({ reason = '', ...typed }) => ({
      type: 'pause.extend',
      item,
      untilMs: pausedAtMs + Number(typed['until day']) * DAY_MS,
      reason,
    }),
    done: `The pause of ${item} is extended.`,
  };
}

export function expirePause(coordinator: string, item: string): DeskOrder {
  return {
    title: `Expire ${item}`,
    verb: 'Expire',
    isDangerous: true,
    address: coordinator,
    fields: [field('reason')],
    means: 'The item is given up: its checkpoint and results are purged, the record of the pause stays.',
    eventOf: ({ reason = '' }) => ({ type: 'pause.expire', item, reason }),
    done: `${item} has expired.`,
  };
}

/** An order to review provisional and deferred debates: each opens a gate for its reviewers. */
export function reviewNow(desk: string): DeskOrder {
  return {
    title: 'Review provisional decisions now',
    verb: 'Open the reviews',
    address: desk,
    fields: [field('gate', { initial: 'review', hint: 'the name of this occasion' })],
    means: 'Every debate that is provisional or deferred asks its reviewers at once, as at the next gate.',
    eventOf: ({ gate = '' }) => ({ type: 'gate.reached', gate }),
    done: 'The reviewers are asked.',
  };
}

export function setExpert(
  desk: string,
  { expert, isAvailable }: { readonly expert: string; readonly isAvailable: boolean },
): DeskOrder {
  return {
    title: isAvailable ? `${expert} is away` : `${expert} is back`,
    verb: isAvailable ? 'Take out' : 'Take in',
    address: desk,
    fields: [],
    isDangerous: isAvailable,
    means: isAvailable
      ? 'Gets no debates. Open ones proceed with the cautious position until somebody reviews them.'
      : 'Gets debates again.',
    eventOf: () => ({ type: isAvailable ? 'expert.unavailable' : 'expert.available', expert }),
    done: isAvailable ? `${expert} gets no debates.` : `${expert} gets debates again.`,
  };
}

/** The reason why an order was refused, read from the reply; undefined if it was accepted. */
export function refusalOf(reply: unknown): string | undefined {
  const { taken, problems } = (reply ?? {}) as Partial<OrderReply>;
  return taken === false ? (problems ?? []).join('; ') || 'refused' : undefined;
}

/** A field of a dialog: by default, a required text. */
export function field(name: string, given: Partial<Field> = {}): Field {
  return { name, kind: 'text', isRequired: true, description: undefined, options: [], initial: '', hint: '', ...given };
}
