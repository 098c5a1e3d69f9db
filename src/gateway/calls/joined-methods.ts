/** Rows of the table of methods that the gateway makes of others (joined-handlers.ts): a chart as text, a history. */
import { z } from 'zod';
import { type MethodRow } from './method-row.ts';
import { address, limit, READING, turn, turned } from './method-shapes.ts';

export const JOINED_METHODS = {
  'chart.mermaid': {
    ...READING,
    means:
      'The statechart that an actor runs, or that of an agent by its name, as text of Mermaid, with the ids of the ' +
      'states that are active. BOSUN_CHART_UNKNOWN for other logic.',
    params: z.object({ name: address.describe('An address, or the name of an agent if no actor lives there.') }),
    result: z.object({
      agent: z.string(),
      mermaid: z.string().describe('A `stateDiagram-v2`.'),
      active: z.array(z.string()).nullable().describe('Ids of states; null for an agent.'),
    }),
    http: { verb: 'GET', path: '/v1/machines/{name}/mermaid' },
    example: {
      p: { name: 'visits' },
      r: { agent: 'counter', mermaid: 'stateDiagram-v2\n  state "counter" as s0\n', active: ['counter'] },
    },
    mcp: { tool: 'show_chart', profiles: ['runtime'] },
  },
  'turn.list': {
    ...READING,
    means:
      'What an actor has done: the last turns that the store keeps of it, each with the context after it; where its ' +
      'agent keeps none, its turns and those below it among the last 10,000 of the system, without contexts.',
    params: z.object({ address, limit: limit.default(20) }),
    result: z.object({
      isKept: z.boolean().describe('Whether the turns are those that the store keeps.'),
      turns: z.array(turn),
    }),
    http: { verb: 'GET', path: '/v1/actors/{address}/past' },
    example: {
      p: { address: 'visits' },
      r: { isKept: false, turns: [{ ...turned, event: { type: 'add' }, change: null }] },
    },
    mcp: { tool: 'show_history', profiles: ['runtime', 'coder'] },
  },
} as const satisfies Record<string, MethodRow>;
