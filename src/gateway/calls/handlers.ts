/**
 * The handler of each method in methods.ts. Caller, parameters and deadline have been checked before (call-desk.ts).
 */
import { type EventObject } from 'xstate';
import { checkAddress, childAddress } from '../../actors/model/address.ts';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { type Session } from '../../actors/world/mailbox/inbound.ts';
import { type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { type Shard } from '../../shard.ts';
import { type Caller, mayReach } from '../callers/callers.ts';
import { activeStates } from '../charts/active.ts';
import { chartOf } from '../charts/model.ts';
import { type Call, type BackendHandlers, Marked, reach, reachAll } from './call.ts';
import { writtenSchema } from './json-schema.ts';
import { deliverTogether } from './many-sends.ts';
import { type ParamsOf } from './methods.ts';
import { orderHandlers } from './order-handlers.ts';
import { type Health } from '../health/health.ts';
import { type Inspections } from '../topics/inspections.ts';
import { type RecordViews } from '../topics/record-views.ts';
import { digestOf, keyOf, type Repeatable, type Repeats } from './repeats.ts';
import { type TurnView } from '../protocol/views.ts';
import { spokenBy } from './spoken-by.ts';
import { type PageTurns } from '../topics/page-turns.ts';
import { shownKept, shownTurn } from '../topics/turn-views.ts';
import { type ActorViews } from '../topics/actor-views.ts';
import { invalid } from '../callers/wire-errors.ts';

export interface CallParts {
  readonly system: Shard;
  readonly clock: Clock;
  readonly views: ActorViews;
  readonly records: RecordViews;
  readonly repeats: Repeats;
  readonly inspections: Inspections;
  readonly health: Health;
  readonly pages: PageTurns;
}

export function handlersOf(parts: CallParts): BackendHandlers {
  const { system, views, inspections, health, pages } = parts;
  return {
    ...orderHandlers(system, views),
    ...recordHandlers(parts),
    'audit.list': ({ address, before = Infinity, limit }, { caller }) => {
      if (address !== undefined) reach(caller, address);
      return {
        records: views
          .audit(caller, address)
          .filter(({ number }) => number < before)
          .slice(0, limit),
      };
    },
    'wait.list': ({ limit }, { caller }) => ({ waits: views.waits(caller).slice(0, limit) }),
    'boss.children': ({ address }, { caller }) => ({ children: views.children(caller, checkAddress(address)) }),
    'actor.get': ({ address }, { caller }) => views.actor(reach(caller, address)),
    'machine.get': ({ name }, { caller }) => machine(system, caller, name),
    'table.read': ({ address, table, ...page }, { caller }) => views.table(reach(caller, address), table, page),
    'actor.inspect': ({ address }, { caller }) => inspections.view(caller, reach(caller, address)),
    'chart.get': ({ address, known }, { caller }) => inspections.chart(reach(caller, address), known),
    'actor.list': ({ under, ...page }, call) => views.list({ turns: pages, call }, checkAddress(under), page),
    'actor.tree': ({ address, ...page }, call) => views.treePage({ turns: pages, call }, checkAddress(address), page),
    'actor.turns': ({ address, after, limit }, { caller }) => ({
      turns: turns(parts, caller, { address: reach(caller, address), after, limit }),
    }),
    'actor.history': async ({ address, limit }, { caller }) => {
      const turns = await system.admin.history(reach(caller, address), { limit });
      return { turns: turns.map((record) => shownKept(views, caller, record)) };
    },
    'actor.send': (params, call) => send(parts, params, call),
    'actor.sendMany': (params, call) => deliverTogether(parts, params, call),
    'actor.ask': (params, call) => ask(parts, params, call),
    'actor.wait': (params, call) => wait(parts, params, call),
    'actor.spawn': (params, { caller }) => spawn(system, caller, params),
    'deadletter.list': ({ reason, ...page }, { caller, looks }) => ({
      letters: views.letters(caller, { ...page, ...(reason !== undefined && { reason }) }, looks),
    }),
    'name.find': ({ name }, { caller }) => {
      const address = system.lookup(name)?.address;
      return { address: address !== undefined && mayReach(caller, address) ? address : null };
    },
    'group.members': ({ name }, { caller }) => ({
      members: system.members(name).filter((address) => mayReach(caller, address)),
    }),
    'agent.list': () => ({ agents: system.clientApi.agents().map(agentView) }),
    'system.info': () => health.view(),
  };
}

function recordHandlers({ records }: CallParts): Pick<BackendHandlers, 'record.list' | 'record.find'> {
  return {
    'record.list': ({ address, name, ...which }, { caller }) => records.list(reach(caller, address), name, which),
    'record.find': ({ agent, name, key, value, ...which }, { caller }) => {
      reachAll(caller);
      return records.find(agent, name, [key, value], which);
    },
  };
}

function machine(system: Shard, caller: Caller, name: string): unknown {
  const { clientApi } = system;
  const seen = mayReach(caller, name) ? system.snapshot(name) : undefined;
  const agent = clientApi.agent(name);
  if (seen === undefined && agent === undefined) {
    reach(caller, name);
    throw new BosunError('BOSUN_ACTOR_UNKNOWN', `there is no actor and no agent named ${JSON.stringify(name)}`, {
      details: { address: name },
    });
  }
  if (seen === undefined) return { agent: name, chart: chartOf(agent!.machine), active: null };
  const run = clientApi.machineAt(name);
  if (run === undefined)
    throw new BosunError('BOSUN_CHART_UNKNOWN', `${name} does not run a machine of the current code`, {
      details: { address: name },
    });
  const chart = chartOf(run);
  return { agent: seen.agent, chart, active: seen.value === null ? null : [...activeStates(chart, seen.value)] };
}

function turns(
  { system, views }: CallParts,
  caller: Caller,
  { address, ...which }: { address: string; after: number; limit: number },
): TurnView[] {
  // Filter before limiting, so that records which the caller may not see do not use up its page.
  const { limit } = which;
  const records = caller.addresses.includes('**')
    ? system.admin.recent(address, which)
    : system.admin
        .recent(address, { after: which.after })
        .filter((record) => mayReach(caller, record.address))
        .slice(-limit);
  return records.map((record) => shownTurn(views, caller, record));
}

async function send(
  { system, repeats }: CallParts,
  { address, event, until, ifSequence }: ParamsOf<'actor.send'>,
  { caller, session, key }: Call,
): Promise<unknown> {
  reach(caller, address);
  const { clientApi } = system;
  const said = spokenBy(caller, event as EventObject, () => clientApi.agentAt(address));
  const ifSuspended = until === 'taken' ? 'refuse' : 'wait';
  const deliver = (stored?: Session): Promise<boolean | null> =>
    until === 'taken' || ifSequence !== undefined
      ? clientApi.deliverTaken(address, said, { session: stored, ifSequence, ifSuspended })
      : clientApi.deliver(address, said, { session: stored }).then(() => null);
  let done: Repeatable<boolean | null>;
  if (session !== undefined) done = await repeats.sequenced(caller, session, deliver);
  else if (key !== undefined)
    done = await repeats.keyedSend(
      caller,
      key,
      ['actor.send', address, event, ...(ifSequence === undefined ? [] : [ifSequence])],
      deliver,
    );
  else done = { result: await deliver(), replayed: false };
  if (done.result !== false) return new Marked({ result: { taken: done.result }, replayed: done.replayed });
  const accepts = clientApi.accepts(address);
  const isGuarded = Array.isArray(accepts) && accepts.includes(event.type);
  const why = isGuarded
    ? `a guard of ${address} refused ${JSON.stringify(event.type)}`
    : `the current state of ${address} does not take ${JSON.stringify(event.type)}`;
  throw new BosunError('BOSUN_EVENT_NOT_TAKEN', why, {
    details: { address, accepts, ...(isGuarded && { isGuarded }) },
  });
}

function ask(
  { system: { clientApi }, views }: CallParts,
  { address, event }: ParamsOf<'actor.ask'>,
  { caller, key, leftMs }: Call,
): Promise<unknown> {
  reach(caller, address);
  const said = spokenBy(caller, event as EventObject, () => clientApi.agentAt(address));
  const name = key === undefined ? {} : { id: keyOf(caller, key), digest: digestOf(['actor.ask', address, event]) };
  return clientApi
    .ask(address, said, { timeoutMs: leftMs, ...name })
    .then((reply) => ({ reply: views.reply(address, reply) }));
}

async function wait(
  { system, views }: CallParts,
  { address, value, tag, status }: ParamsOf<'actor.wait'>,
  call: Call,
): Promise<unknown> {
  reach(call.caller, address);
  await system.actor(address).waitFor(
    (snapshot) => {
      if (call.isOver) throw new BosunError('BOSUN_CALL_CANCELLED', 'the caller no longer waits');
      const fits = value === undefined || fitsValue(snapshot.value, value);
      return (
        fits &&
        (tag === undefined || snapshot.tags.includes(tag)) &&
        (status === undefined || snapshot.status === status)
      );
    },
    { timeoutMs: call.leftMs },
  );
  return views.actor(address);
}

async function spawn(
  system: Shard,
  caller: Caller,
  { agent: name, id, under, input, restart }: ParamsOf<'actor.spawn'>,
): Promise<unknown> {
  reach(caller, childAddress(under, id));
  const agent = system.clientApi.agent(name);
  if (agent === undefined)
    throw new BosunError('BOSUN_AGENT_UNKNOWN', `the system has no agent ${JSON.stringify(name)}`);
  const { address } = await system.spawn(agent, id, {
    under,
    ...(restart !== undefined && { restart }),
    ...(input !== undefined && { input: input as never }),
  });
  return { address };
}

/** Whether a state value matches, as in XState's `matches`: the wanted value equals it or is a part of it. */
function fitsValue(value: unknown, wanted: unknown): boolean {
  if (typeof wanted === 'string') return value === wanted || (isRecord(value) && Object.hasOwn(value, wanted));
  if (!isRecord(wanted)) throw invalid('p.value: a state value must be text or an object');
  return (
    isRecord(value) &&
    Object.keys(wanted).every((key) => Object.hasOwn(value, key) && fitsValue(value[key], wanted[key]))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function agentView({ name, version, events }: AnyAgent) {
  const schemas = Object.entries(events).map(([type, schema]) => [type, writtenSchema(schema, 'input')] as const);
  return { name, version, events: Object.fromEntries(schemas) };
}
