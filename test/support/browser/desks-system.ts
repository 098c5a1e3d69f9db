/**
 * A served system with the desks that people answer, a Lead Coordinator that only follows orders, and the first
 * questions.
 */
import { fileURLToPath } from 'node:url';
import { CHALLENGE as DISPUTED } from '../machines/debate-room.ts';
import { Served } from './served.ts';

const [BOSUN, MACHINES] = ['index.js', 'machines/index.js'].map((file) =>
  JSON.stringify(fileURLToPath(new URL(`../../../dist/${file}`, import.meta.url))),
);

const CONFIG = `
import { enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from ${BOSUN};
import { debateAgents, debateChildren, failureAgents, failureDesks, gateAgents, gateChildren } from ${MACHINES};
import { PACKS, ticketAgents, ticketChildren } from ${MACHINES};

const coordinator = defineAgent({
  name: 'stand-in',
  machine: setup({}).createMachine({
    id: 'stand-in',
    on: {
      'pause.request': {
        actions: enqueueActions(({ event: { item, trigger }, enqueue, system }) =>
          enqueue.sendTo(system.get('batches'), {
            type: 'pause.complete',
            item,
            pausedAtMs: 0,
            resumeDependencies: { restart: [], skip: [], wait: [] },
            trigger,
          }),
        ),
      },
      'resume.command': {
        actions: enqueueActions(({ event: { item }, enqueue, system }) =>
          enqueue.sendTo(system.get('batches'), { type: 'item.resumed', item }),
        ),
      },
      tell: {
        actions: enqueueActions(({ event: { to, event }, enqueue, system }) => enqueue.sendTo(system.get(to), event)),
      },
    },
  }),
  events: { tell: z.looseObject({}) },
});

export default {
  agents: [coordinator, ...gateAgents, ...ticketAgents, ...debateAgents(), ...failureAgents],
  tree: {
    children: [
      ...gateChildren(),
      ...ticketChildren(),
      ...failureDesks,
      ...debateChildren({ experts: ['eve'], reviewers: ['ada', 'eve'], pack: PACKS.finance }),
      { id: 'coordinator', systemId: 'coordinator', agent: 'stand-in' },
    ],
  },
};
`;

export async function servedDesks(): Promise<Served> {
  const served = new Served([]);
  served.work.write('bosun.config.mjs', CONFIG);
  return served.start();
}

export async function tell(
  { url }: Served,
  address: string,
  event: { readonly type: string; readonly [field: string]: unknown },
): Promise<void> {
  const response = await fetch(`${url}/v1/actors/${encodeURIComponent(address)}/send`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ event, until: 'taken' }),
  });
  if (!response.ok) throw new Error(`${event.type}: ${response.status} ${await response.text()}`);
}

const HOUR_MS = 60 * 60_000;

export const GATE = {
  type: 'gate.open',
  id: 'G3-ACME',
  kind: 'G3',
  title: 'May the valuation of ACME rest on these assumptions?',
  package: {
    item: 'ACME',
    summary: 'Two of three sources agree; the third is a year old.',
    assumptions: [
      { name: 'Growth', value: 0.062, source: '10-K, page 31' },
      { name: 'Margin', value: 0.25, source: '10-K, page 40' },
    ],
    openQuestions: ['Is the plant in Reno sold?'],
  },
  audience: ['ada', 'eve'],
  form: {
    type: 'object',
    properties: {
      decision: { type: 'string', enum: ['approve', 'revise', 'reject'] },
      note: { type: 'string', maxLength: 500 },
    },
    required: ['decision'],
    additionalProperties: false,
  },
  remindAfterMs: [HOUR_MS],
  deadlineMs: 90 * 60_000,
  onTimeout: { name: 'conservative assumptions', value: null },
};

export const CHALLENGE = {
  ...DISPUTED,
  type: 'debate.challenge',
  id: 'margin',
  challenger: { agent: 'auditor' },
  challenged: { agent: 'planner' },
  requiredEvidence: ['calculation'],
  escalationMs: 2_000,
};

export const DEFENCE = {
  type: 'debate.respond',
  debate: 'margin',
  by: 'planner',
  statement: 'By the plan of sales, without the plant in Reno.',
  evidence: [{ kind: 'calculation', source: 'sheet 3', strength: 0.6 }],
};

/** An alert as agents raise it. People have no event for raising one, so the stand-in sends it. */
export function alertOf(item: string, priority: string, title: string) {
  const resume = {
    name: 'resume',
    label: 'Resume',
    to: 'coordinator',
    event: { type: 'resume.command', item, resumePlan: null, notify: true },
  };
  const data = { agentType: 'news', errorType: 'rate_limit' };
  return {
    type: 'tell',
    to: 'alerts',
    event: {
      type: 'alert.raise',
      item,
      kind: 'item.failed',
      priority,
      title,
      detail: 'The source answers 429; three attempts were made.',
      actions: [resume],
      data,
    },
  };
}

export const PAUSE = {
  type: 'batch.pause',
  items: ['ACME', 'BOLT', 'CRUX', 'DYNE', 'EMCO', 'FLUX'],
  reason: 'The quota of the news source is used up',
};

/** A ticket that offers options, with a source that decides for one of them. */
export const TICKET = {
  type: 'tickets.open',
  kind: 'ai_to_human',
  title: 'Zod or Joi for the registration?',
  description: 'The form is public.',
  options: ['Zod', 'Joi'],
  evidence: [{ source: 'package.json:14', excerpt: '"zod": "^4.2.0"', isDeclared: true }],
  creator: 'coder',
  task: 'TASK-003',
  isBlocking: true,
};
