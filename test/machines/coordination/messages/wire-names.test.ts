/** The seed's names on the wire: every message type in both directions, envelopes, and refusals. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message } from '../../../../src/machines/coordination/messages/messages.ts';
import {
  type Envelope,
  fromEnvelope,
  type Posted,
  toEnvelope,
} from '../../../../src/machines/coordination/messages/envelope.ts';
import { type WiredType } from '../../../../src/machines/coordination/messages/wire-names.ts';

const AT = Date.parse('2026-01-01T14:47:00.000Z');
const posted: Posted = {
  from: 'lead-coordinator',
  to: 'pause-manager',
  priority: 'high',
  atMs: AT,
  requiresResponse: false,
};

const lists = { restart: ['AAPL/financial'], skip: ['AAPL/screening'], wait: [] };

const request: Message<'pause.request'> = {
  type: 'pause.request',
  item: 'AAPL',
  reason: 'quota',
  checkpointId: 'AAPL#1',
  trigger: 'AUTO_TIER2',
};
const complete: Message<'pause.complete'> = {
  type: 'pause.complete',
  item: 'AAPL',
  pausedAtMs: AT,
  resumeDependencies: lists,
};

/** The message has that name and exactly that payload, and comes back as it was, also through JSON. */
function travels(message: Message<WiredType>, name: string, content: object): void {
  const envelope = toEnvelope(message, posted);
  expect(envelope).toMatchObject({ message_type: name });
  expect(envelope.content).toEqual(content);
  expect(fromEnvelope(envelope)).toEqual({ message, posted });
  expect(fromEnvelope(JSON.parse(JSON.stringify(envelope)))).toEqual({ message, posted });
}

describe('messages on the wire', () => {
  it('CA-079: Finding, Request, Challenge, Confirmation and Alert are exchanged between agents', () => {
    const talk = {
      from: posted.from,
      to: posted.to,
      item: 'AAPL',
      content: { margin: 0.25 },
      priority: posted.priority,
      requiresResponse: posted.requiresResponse,
    };
    const names = {
      'talk.finding': 'Finding',
      'talk.request': 'Request',
      'talk.challenge': 'Challenge',
      'talk.confirmation': 'Confirmation',
      'talk.alert': 'Alert',
    } as const;
    for (const [type, name] of Object.entries(names))
      travels({ ...talk, type } as Message<WiredType>, name, { stock_id: 'AAPL', content: { margin: 0.25 } });
  });

  it('CA-080: PAUSE_REQUEST has stock_id, reason, checkpoint_id and trigger_source', () => {
    travels(request, 'PAUSE_REQUEST', {
      stock_id: 'AAPL',
      reason: 'quota',
      checkpoint_id: 'AAPL#1',
      trigger_source: 'AUTO_TIER2',
    });
  });

  it('CA-081: PAUSE_COMPLETE has stock_id, paused_at and resume_dependencies', () => {
    travels(complete, 'PAUSE_COMPLETE', {
      stock_id: 'AAPL',
      paused_at: '2026-01-01T14:47:00.000Z',
      resume_dependencies: lists,
    });
  });

  it('CA-082: RESUME_COMMAND has stock_id, resume_plan and notify', () => {
    travels({ type: 'resume.command', item: 'AAPL', resumePlan: lists, notify: true }, 'RESUME_COMMAND', {
      stock_id: 'AAPL',
      resume_plan: lists,
      notify: true,
    });
  });

  it('CA-083: BATCH_PAUSE_REQUEST has stock_ids, reason, batch_id and max_concurrency', () => {
    const message: Message<WiredType> = {
      type: 'batch.pause-request',
      items: ['AAPL', 'MSFT'],
      reason: 'quota',
      batchId: 'b1',
      maxConcurrency: 5,
    };
    travels(message, 'BATCH_PAUSE_REQUEST', {
      stock_ids: ['AAPL', 'MSFT'],
      reason: 'quota',
      batch_id: 'b1',
      max_concurrency: 5,
    });
  });

  it('CA-084: AGENT_FAILURE_EVENT: stock_ticker, agent_type, error_type, error_message, data_source, timestamp', () => {
    const message: Message<WiredType> = {
      type: 'agent.failure',
      item: 'AAPL',
      agentType: 'financial',
      errorType: 'rate_limit',
      errorMessage: 'quota',
      dataSource: 'koyfin',
      atMs: AT,
    };
    const content = {
      stock_ticker: 'AAPL',
      agent_type: 'financial',
      error_type: 'rate_limit',
      error_message: 'quota',
      data_source: 'koyfin',
      timestamp: '2026-01-01T14:47:00.000Z',
    };
    travels(message, 'AGENT_FAILURE_EVENT', content);
  });

  it('CA-085: CORRELATION_DETECTED has correlation_id, stock_tickers, root_cause, signature, batch_triggered', () => {
    const rest = { signature: '0123456789abcdef' };
    const message: Message<WiredType> = {
      type: 'correlation.detected',
      correlationId: 'c1',
      items: ['AAPL'],
      rootCause: 'Koyfin API quota exceeded',
      batchTriggered: true,
      ...rest,
    };
    travels(message, 'CORRELATION_DETECTED', {
      correlation_id: 'c1',
      stock_tickers: ['AAPL'],
      root_cause: 'Koyfin API quota exceeded',
      batch_triggered: true,
      ...rest,
    });
  });

  it('CA-086: BATCH_TRIGGER has stock_ids, root_cause and correlation_id', () => {
    const message: Message<WiredType> = {
      type: 'batch.trigger',
      items: ['AAPL'],
      rootCause: 'Koyfin API quota exceeded',
      correlationId: 'c1',
    };
    travels(message, 'BATCH_TRIGGER', {
      stock_ids: ['AAPL'],
      root_cause: 'Koyfin API quota exceeded',
      correlation_id: 'c1',
    });
  });

  it('CA-087: an envelope has seven fields', () => {
    expect(toEnvelope(request, posted)).toEqual({
      from_agent: 'lead-coordinator',
      to_agent: 'pause-manager',
      message_type: 'PAUSE_REQUEST',
      priority: 'high',
      content: { stock_id: 'AAPL', reason: 'quota', checkpoint_id: 'AAPL#1', trigger_source: 'AUTO_TIER2' },
      timestamp: '2026-01-01T14:47:00.000Z',
      requires_response: false,
    });
  });

  it('CA-087: are refused with their problems if they are not envelopes', () => {
    const good = toEnvelope(request, posted);
    const problemOf = (change: object) => (fromEnvelope({ ...good, ...change }) as { problem?: string }).problem;
    expect(problemOf({ message_type: 'SHRUG' })).toContain('unknown message type "SHRUG"');
    expect(problemOf({ priority: 'urgent' })).toContain('priority');
    expect(problemOf({ content: { ...good.content, trigger_source: 'WHIM' } })).toContain('content.trigger_source');
    expect(problemOf({ timestamp: 'yesterday' })).toContain('timestamp');
    fc.assert(fc.property(fc.anything(), (value) => 'problem' in fromEnvelope(value)));
  });

  it('CA-087: are checked by the schemas: an invalid time is refused', () => {
    const envelope: Envelope = {
      ...toEnvelope(complete, posted),
      content: { stock_id: 'AAPL', paused_at: 'soon', resume_dependencies: lists },
    };
    expect(fromEnvelope(envelope)).toMatchObject({ problem: expect.stringContaining('content.paused_at') });
  });
});
