/**
 * Word to people: raised at the desk of alerts, which knows how to reach them. Where there is no such desk, nothing is
 * said.
 */
import { DESKS } from '../work/system-ids.ts';
import { cutText } from '../work/message-schema.ts';
import { type AlertAction, type AlertMessage } from './alerts/alert-messages.ts';

type Alert = AlertMessage<'alert.raise'>;

export interface Notice extends Pick<Alert, 'kind' | 'priority' | 'title' | 'detail'> {
  /** What it is about: what is said of one subject, of one kind, shares a card. */
  readonly subject: string | null;
  /** Buttons beside the one that says that somebody looks. */
  readonly actions?: readonly AlertAction[];
  readonly data?: Alert['data'];
  /** Who should hear of it. */
  readonly audience?: readonly string[];
}

/** What was said of the subject, of these kinds, is over. */
export interface Settlement {
  readonly subject: string;
  readonly kinds: readonly string[];
  readonly because: string;
}

export const VIEW_DETAILS: AlertAction = { name: 'details', label: 'View Details', to: null, event: null };

export function resumeButton(item: string): AlertAction {
  const event = { type: 'resume.command', item, resumePlan: null, notify: true };
  return { name: 'resume', label: 'Resume', to: DESKS.coordinator, event };
}

export function cancelButton(item: string): AlertAction {
  return { name: 'cancel', label: 'Cancel', to: DESKS.coordinator, event: { type: 'item.cancel', item } };
}

export function alertOf({ subject, audience, title, detail, actions = [], data = {}, ...notice }: Notice): Alert {
  return {
    type: 'alert.raise',
    item: subject,
    ...notice,
    title: cutText(title),
    detail: cutText(detail),
    actions: [VIEW_DETAILS, ...actions],
    data: audience === undefined ? data : { ...data, audience },
  };
}

export function settlementOf({ subject, kinds, because }: Settlement): AlertMessage<'alert.settled'> {
  return { type: 'alert.settled', item: subject, kinds: [...kinds], because };
}
