/**
 * What the desks of the crew do while a plan runs, as lines for people: correlated failures, batches, gates, debates.
 * Formatting only.
 */
import { timeText } from './stopped-store.ts';

interface Said {
  readonly type: string;
  readonly [fact: string]: unknown;
}

/** By event type; what starts a line is as wide as the words of run-report.ts. */
export const DESK_SENTENCES: Readonly<Record<string, (said: Said) => string>> = {
  'failure.correlated': ({ items, rootCause }) => `together   ${list(items)} failed of one cause: ${String(rootCause)}`,
  'batch.changed': batchSentence,
  'gate.opened': ({ gate, title, audience }) =>
    `asks       ${gate as string}: ${title as string} (${audienceText(audience)})`,
  'gate.reminded': ({ gate, title }) => `reminds    ${gate as string}: ${title as string}`,
  'gate.closed': ({ gate, outcome, by }) =>
    `gate       ${gate as string} is ` +
    `${outcome === 'timedOut' ? 'timed out' : (outcome as string)}${by === null ? '' : ` by ${by as string}`}`,
  'debate.provisional': ({ debate, topic, statement, flagged }) =>
    `debate     ${debate as string}, ${topic as string}: goes on with "${statement as string}" for ` +
    `now${flags(flagged)}`,
  'debate.deferred': ({ debate }) => `debate     ${debate as string} is deferred to the next gate`,
  'debate.decided': ({ debate, outcome, statement, rerun }) =>
    `debate     ${debate as string} is ` +
    `${outcomeText(outcome)}${statement === null ? '' : `: "${statement as string}"`}${reruns(rerun)}`,
};

export function deskSentence(said: Said): string {
  return DESK_SENTENCES[said.type]!(said); // only those are told
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
      redebate: 'to be held again',
      consensus: 'agreed on',
    }[String(outcome)] ?? String(outcome)
  );
}

function flags(flagged: unknown): string {
  return (flagged as readonly string[]).length === 0 ? '' : `; on it rest ${list(flagged)}`;
}

function reruns(rerun: unknown): string {
  return (rerun as readonly string[]).length === 0 ? '' : `; again: ${list(rerun)}`;
}
