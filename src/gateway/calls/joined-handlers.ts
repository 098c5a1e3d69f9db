/** Handlers of the methods that the gateway makes of others (joined-methods.ts), over one system as over workers. */
import { mermaidOf } from '../charts/mermaid.ts';
import { type Chart } from '../charts/model.ts';
import { type TurnView } from '../protocol/views.ts';
import { type BackendHandlers, type Handlers } from './call.ts';

/** Makes the handlers, which call those of the backend with the rights of the caller. */
export function joinedHandlers(backend: BackendHandlers): Pick<Handlers, 'chart.mermaid' | 'turn.list'> {
  return {
    'chart.mermaid': async (params, call) => {
      const { agent, chart, active } = (await backend['machine.get'](params, call)) as {
        readonly agent: string;
        readonly chart: Chart;
        readonly active: readonly string[] | null;
      };
      return { agent, mermaid: mermaidOf(chart), active };
    },
    'turn.list': async ({ address: of, limit: most }, call) => {
      const asked = { address: of, limit: most };
      const kept = (await backend['actor.history'](asked, call)) as { readonly turns: readonly TurnView[] };
      if (kept.turns.length > 0) return { isKept: true, ...kept };
      const recent = (await backend['actor.turns']({ ...asked, after: 0 }, call)) as typeof kept;
      return { isKept: false, ...recent };
    },
  };
}
