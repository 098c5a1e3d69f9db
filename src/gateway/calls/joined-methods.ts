/** Rows of the table of methods that the gateway makes of others: a chart as text, a history. */
import { z } from 'zod';
import { mermaidOf } from '../charts/mermaid.ts';
import { type Chart } from '../charts/model.ts';
import { type TurnView } from '../protocol/views.ts';
import { frontMethod } from './method-row.ts';
import { address, limit, READING, turn, turned } from './method-shapes.ts';

export const JOINED_METHODS = {
  'chart.mermaid': frontMethod({
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
    mcp: {
      tool: 'show_chart',
      profiles: ['runtime'],
      resource: {
        uri: 'bosun://chart/{+name}',
        name: 'chart',
        description: 'The statechart of an agent by its name, or of an actor by its address, as text of Mermaid.',
        text: { field: 'mermaid', mimeType: 'text/vnd.mermaid' },
      },
    },
    run: async (params, call, { backend }): Promise<unknown> => {
      const { agent, chart, active } = (await backend['machine.get'](params, call)) as {
        readonly agent: string;
        readonly chart: Chart;
        readonly active: readonly string[] | null;
      };
      return { agent, mermaid: mermaidOf(chart), active };
    },
  }),
  'turn.list': frontMethod({
    ...READING,
    looks: true,
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
    run: async ({ address: of, limit: most }, call, { backend }): Promise<unknown> => {
      const asked = { address: of, limit: most };
      const kept = (await backend['actor.history'](asked, call)) as { readonly turns: readonly TurnView[] };
      if (kept.turns.length > 0) return { isKept: true, ...kept };
      const recent = (await backend['actor.turns']({ ...asked, after: 0 }, call)) as typeof kept;
      return { isKept: false, ...recent };
    },
  }),
};
