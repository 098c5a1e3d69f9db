/** Notices to people: raised at the alert desk, which delivers them. Without an alert desk, notices are dropped. */
import { type Turn } from '../rules/turn.ts';
import { WORK_DESKS } from '../work/system-ids.ts';
import { PEOPLE_DESKS } from './system-ids.ts';
import { cutText } from '../work/message-schema.ts';
import { type AlertAction, type AlertMessage } from './alerts/alert-messages.ts';

type Alert = AlertMessage<'alert.raise'>;

export interface Notice extends Pick<Alert, 'kind' | 'priority' | 'title' | 'detail'> {
  /** The subject: notices of one subject and kind share a card. */
  readonly subject: string | null;
  /** Buttons in addition to "View Details". */
  readonly actions?: readonly AlertAction[];
  readonly data?: Alert['data'];
  /** How the card is delivered, if otherwise than once (alert-messages.ts). */
  readonly delivery?: NonNullable<Alert['delivery']>;
  /** Names of the people to notify. */
  readonly audience?: readonly string[];
  /** Names of the people whose acknowledgement counts. Default: anybody's. */
  readonly mayAcknowledge?: readonly string[];
}

/** Settles notices of these kinds about a subject. */
export interface Settlement {
  readonly subject: string;
  readonly kinds: readonly string[];
  readonly because: string;
}

export const VIEW_DETAILS: AlertAction = { name: 'details', label: 'View Details', to: null, event: null };

export function resumeButton(item: string): AlertAction {
  const event = { type: 'resume.command', item, resumePlan: null, notify: true };
  return { name: 'resume', label: 'Resume', to: WORK_DESKS.coordinator, event };
}

export function cancelButton(item: string): AlertAction {
  return { name: 'cancel', label: 'Cancel', to: WORK_DESKS.coordinator, event: { type: 'item.cancel', item } };
}

export function alertOf({ subject, audience, title, detail, actions = [], data = {}, ...rest }: Notice): Alert {
  const { mayAcknowledge, ...notice } = rest;
  return {
    type: 'alert.raise',
    item: subject,
    ...notice,
    ...(mayAcknowledge !== undefined && { mayAcknowledge: [...mayAcknowledge] }),
    title: cutText(title),
    detail: cutText(detail),
    actions: [VIEW_DETAILS, ...actions],
    data: audience === undefined ? data : { ...data, audience },
  };
}

export function settlementOf({ subject, kinds, because }: Settlement): AlertMessage<'alert.settled'> {
  return { type: 'alert.settled', item: subject, kinds: [...kinds], because };
}

/** The part of a turn that sends. */
type Sender = Pick<Turn<object, never>, 'send'>;

/** Notifies people, if there is an alert desk. */
export function notify(turn: Sender, notice: Notice): void {
  turn.send(PEOPLE_DESKS.alerts, alertOf(notice));
}

/** Settles notices that no longer need anybody. */
export function settle(turn: Sender, settlement: Settlement): void {
  turn.send(PEOPLE_DESKS.alerts, settlementOf(settlement));
}
