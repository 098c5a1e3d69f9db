/**
 * Events of the crew's desks during a run, as lines for people: correlated failures, batches, gates, debates.
 * Formatting only.
 */
import { gateName } from '../../machines/people/gates/gate-name.ts';
import { timeText } from '../store/stopped-store.ts';

interface Said {
  readonly type: string;
  readonly [fact: string]: unknown;
}

/** Lines by event type; their first words are padded to the width of those in run-report.ts. */
export const DESK_SENTENCES: Readonly<Record<string, (said: Said) => string>> = {
  'failure.correlated': ({ items, rootCause }) => `together   ${list(items)} failed of one cause: ${String(rootCause)}`,
  'message.undeliverable': ({ from, messageType, receiver, takes }) =>
    `refused    ${messageType as string} of ${from as string}: ` +
    `${takes === null ? `no agent is named "${receiver as string}"` : `"${receiver as string}" does not take it`}`,
  'batch.changed': batchSentence,
  'gate.opened': (said) => `asks       ${question(said)}${proposed(said)} (${audienceText(said['audience'])})`,
  'gate.reminded': (said) => `reminds    ${question(said)}`,
  'gate.closed': (said) =>
    `gate       ${question(said)} is ` +
    `${said['outcome'] === 'timedOut' ? 'timed out' : (said['outcome'] as string)}` +
    `${said['by'] === null ? '' : ` by ${said['by'] as string}`}`,
  'ticket.listed': ({ ticket, title, status, by }) =>
    `ticket     ${ticket as string}, ${title as string}: ` +
    `${status === 'in_review' ? 'replied to' : (status as string)}${by === null ? '' : ` by ${by as string}`}`,
  'debate.provisional': ({ debate, topic, statement, flagged }) =>
    `debate     ${debate as string}, ${topic as string}: proceeds with "${statement as string}" for ` +
    `now${flags(flagged)}`,
  'debate.deferred': ({ debate }) => `debate     ${debate as string} is deferred to the next gate`,
  'debate.decided': ({ debate, outcome, statement, rerun }) =>
    `debate     ${debate as string} is ` +
    `${outcomeText(outcome)}${statement === null ? '' : `: "${statement as string}"`}${reruns(rerun)}`,
};

export function deskSentence(said: Said): string {
  return DESK_SENTENCES[said.type]!(said); // Only events of these types are reported.
}

function batchSentence({ batchId, reason, phase, status, total, resumed, failed, notBeforeMs }: Said): string {
  const name = `batch      ${batchId as string}`;
  if (phase === 'finished')
    return (
      `${name} is ${status as string}: ${resumed as number} of ${total as number} go ` +
      `on${failed === 0 ? '' : `, ${failed as number} failed`}`
    );
  if (typeof notBeforeMs === 'number') return `${name} goes on by itself at ${timeText(notBeforeMs)}`;
  return `${name} is ${phase as string}, ${total as number} items: ${reason as string}`;
}

function question(said: Said): string {
  return `${said['gate'] as string}: ${gateName(said as unknown as Parameters<typeof gateName>[0])}`;
}

function proposed({ proposal }: Said): string {
  return proposal === null ? '' : `; proposed: ${proposal as string}`;
}

function list(value: unknown): string {
  return (value as readonly string[]).join(', ');
}

function audienceText(value: unknown): string {
  return list(value) === '*' ? 'anybody may answer' : `for ${list(value)}`;
}

function outcomeText(outcome: unknown): string {
  return (
    {
      facilitator_resolved: 'resolved by credibility',
      human: 'decided',
      redebate: 'to be debated again',
      consensus: 'agreed on',
    }[String(outcome)] ?? String(outcome)
  );
}

function flags(flagged: unknown): string {
  return (flagged as readonly string[]).length === 0 ? '' : `; ${list(flagged)} depend on it`;
}

function reruns(rerun: unknown): string {
  return (rerun as readonly string[]).length === 0 ? '' : `; runs again: ${list(rerun)}`;
}
