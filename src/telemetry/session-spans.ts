/**
 * OpenTelemetry spans of runs of hubs and of their sessions, from the records of work plans: a trace for each run, made
 * when the run is over, so that its times and its tree are right whenever its host ended in between. Spans have names,
 * figures and states only, no texts of sessions.
 */
import type { Attributes, Context } from '@opentelemetry/api';
import type { Subscription } from '../actors/world/actor-view.ts';
import type { LineageEntry } from '../machines/hub/handoff.ts';
import type { HubDeskEmitted } from '../machines/hub/hub-desk.ts';
import type { SessionEntry } from '../machines/hub/session-records.ts';
import { type System } from '../system.ts';
import { type Api, loadedApi } from './open-telemetry.ts';

type RunClosed = Extract<HubDeskEmitted, { readonly type: 'hub.closed' }>;

const HUBS = 'hubs';
const RECORDS_OF = 'work-plan';
const PAGE = 1_000;
const BAD = ['failed', 'refused'];

/**
 * Exports the spans of every run of a hub that is over from now on: one of the run, and below it one of each session
 * from its opening to its close, as a child of that which spawned it. Resolves when the export has started;
 * `unsubscribe` ends it. Rejects with BOSUN_CONFIG_INVALID if `@opentelemetry/api` is not installed, and with
 * BOSUN_SYSTEM_CLOSED.
 */
export async function sessionsToOpenTelemetry(system: System): Promise<Subscription> {
  const api = await loadedApi();
  return await system.onEmitted((address, event) => {
    // A system that is stopped meanwhile has no records to read.
    if (address === HUBS && event.type === 'hub.closed')
      void exportRun(api, system, event as unknown as RunClosed).catch(() => {});
  });
}

async function exportRun(api: Api, { records }: System, run: RunClosed): Promise<void> {
  const sessions = await valuesOf<SessionEntry>(records, 'sessions', run.run);
  const handoffs = await valuesOf<LineageEntry>(records, 'lineage', run.run);
  const files = new Map(handoffs.map(({ session, verified }) => [session, verified.files?.length]));
  const tracer = api.trace.getTracer('bosun');
  const begin = (role: string, outcome: string, startTime: number, parent: Context, more: Attributes) => {
    const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': role };
    const attributes = { ...agent, 'bosun.run': run.run, 'bosun.plan': run.plan, 'bosun.outcome': outcome, ...more };
    const span = tracer.startSpan(`invoke_agent ${role}`, { startTime, attributes }, parent);
    if (BAD.includes(outcome)) span.setStatus({ code: api.SpanStatusCode.ERROR });
    return { span, context: api.trace.setSpan(parent, span) };
  };
  const cost = { 'bosun.cost_usd': run.spentUsd };
  const root = begin(run.hub, run.status, run.startedAtMs, api.ROOT_CONTEXT, cost);
  const contexts = new Map([[run.run, root.context]]);
  // The session of the hub itself is the run.
  const below = sessions.filter(({ session }) => session !== run.run).sort((a, b) => a.depth - b.depth);
  for (const { session, parent, role, outcome, step, usage, startedAtMs, endedAtMs } of below) {
    const { span, context } = begin(role, outcome, startedAtMs, contexts.get(parent) ?? root.context, {
      ...{ 'bosun.session': session, 'bosun.tokens': usage.tokens, 'bosun.cost_usd': usage.costUsd },
      // An attribute that is undefined is left out.
      ...{ 'bosun.step': step ?? undefined, 'bosun.files_changed': files.get(session) },
    });
    span.end(endedAtMs);
    contexts.set(session, context);
  }
  root.span.end(run.endedAtMs!);
}

/** The records of a run, of all pages. */
async function valuesOf<Value>(records: System['records'], name: string, run: string): Promise<Value[]> {
  const values: Value[] = [];
  for (let from: string | null | undefined; from !== null; ) {
    const page = await records.find(RECORDS_OF, name, ['run', run], { limit: PAGE, ...(from && { from }) });
    values.push(...page.records.map(({ value }) => value as Value));
    from = page.next;
  }
  return values;
}
