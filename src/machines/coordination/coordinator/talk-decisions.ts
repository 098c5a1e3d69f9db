/**
 * The Lead Coordinator's own handling of messages between agents (CA-007): a finding is kept for the next package on
 * which people decide, and a request becomes a question to people, whose answer is kept as a finding. message-routes.ts
 * handles everything else. Pure: it reads and writes through the ledger.
 */
import { TALK_CONTENT_BYTES_MAX } from '../../limits.ts';
import { ANYBODY } from '../../people/audience.ts';
import { type OrderReply, refused, TAKEN } from '../../rules/turn.ts';
import { fits } from '../../rules/value-size.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { type TalkMessage } from '../../work/talk-messages.ts';
import { NO_ITEM, type OpenRequest } from './coordinator-context.ts';
import { type EventOf } from './coordinator-events.ts';
import { type PlanLedger } from './plan-ledger.ts';

/** Milliseconds to answer a request. It blocks no work, but must not stay open for ever. */
const REQUEST_MS = 7 * 24 * 60 * 60 * 1000;

/** JSON Schema of the answer. */
const REQUEST_FORM = { type: 'object', properties: { answer: { type: 'string', minLength: 1 } }, required: ['answer'] };

export function findingMade(
  ledger: PlanLedger,
  { from, item, content, priority }: TalkMessage<'talk.finding'>,
): OrderReply {
  const problem = problemOf(ledger, { item, content });
  if (problem !== undefined) return refused(problem);
  ledger.keepFinding(item ?? NO_ITEM, { from, content, priority, atMs: ledger.nowMs });
  return TAKEN;
}

/**
 * Turns a request into a question to people. Nothing waits for the answer; agents that must wait use `gate.request`.
 * The reply names the gate.
 */
export function requestMade(
  ledger: PlanLedger,
  { from, item, content, priority, requiresResponse }: TalkMessage<'talk.request'>,
): OrderReply {
  const problem = problemOf(ledger, { item, content });
  if (problem !== undefined) return refused(problem);
  const id = ledger.openGate({ item: item ?? NO_ITEM, gate: 'request', request: { from, content } });
  ledger.send(PEOPLE_DESKS.gates, {
    type: 'gate.open',
    id,
    kind: 'request',
    title: item === null ? `${from} asks` : `${from} asks about ${item}`,
    package: { from, item, content, priority, requiresResponse },
    audience: [ANYBODY],
    form: REQUEST_FORM,
    deadlineMs: REQUEST_MS,
    askedBy: ledger.self,
  });
  return { ...TAKEN, gate: id } as OrderReply;
}

interface ClosedRequest extends Pick<EventOf<'gate.closed'>, 'result'> {
  readonly item: string;
  readonly request: OpenRequest;
}

/** Keeps the answer of people as a finding. */
export function requestClosed(ledger: PlanLedger, { item, request, result }: ClosedRequest): void {
  if (result.outcome !== 'answered') return;
  const { answer } = result.answer as { readonly answer: string };
  const content = { answer, asked: request.content, askedBy: request.from };
  ledger.keepFinding(item, { from: result.by ?? ANYBODY, content, priority: 'normal', atMs: ledger.nowMs });
}

function problemOf(ledger: PlanLedger, { item, content }: Pick<TalkMessage, 'item' | 'content'>): string | undefined {
  if (item !== null && !ledger.has(item)) return `no item "${item}" in the plan`;
  return fits(content, TALK_CONTENT_BYTES_MAX)
    ? undefined
    : `the content of a message has at most ${TALK_CONTENT_BYTES_MAX} bytes`;
}
