/** The priority of an alert, in words and colour. */
import { type Priority } from './desk-shapes.ts';

const TONES: Readonly<Record<Priority, string>> = {
  AGENT_FAILURE: 'bad',
  CRITICAL: 'bad',
  HIGH: 'warn',
  MEDIUM: 'calm',
  LOW: 'calm',
};

export function PriorityChip({ priority }: { readonly priority: Priority }) {
  return <span class={`chip-plain ${TONES[priority]}`}>{priority.toLowerCase().replace('_', ' ')}</span>;
}
