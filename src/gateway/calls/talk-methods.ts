/** Rows of the table of methods: events to actors, questions, waits, and actors that are to be started. */
import { type EventObject } from 'xstate';
import { z } from 'zod';
import { type PromptMark } from '../../actors/api/procedure.ts';
import { childAddress } from '../../actors/model/address.ts';
import { type Session } from '../../actors/world/mailbox/inbound.ts';
import { BosunError } from '../../errors.ts';
import { invalid } from '../callers/wire-errors.ts';
import { type CallParts } from './call-parts.ts';
import { type Call, Marked, reach } from './call.ts';
import { deliverTogether, manySends, sendGranted } from './many-sends.ts';
import { kernelMethod } from './method-row.ts';
import { actorView, address, counter, event, ifSequence, name, nothing, READING, status } from './method-shapes.ts';
import { run } from './run-methods.ts';
import { digestOf, keyOf, type Repeatable } from './repeats.ts';
import { spokenBy } from './spoken-by.ts';

const sendParams = z.object({ address, event, until: z.enum(['durable', 'taken']).default('durable'), ifSequence });
const askParams = z.object({ address, event });
const waitParams = z.object({
  address,
  value: z.unknown().optional().describe("A state value, or a part of one, as for XState's `matches`."),
  tag: name.optional(),
  status: status.optional(),
});
const spawnParams = z.object({
  agent: name,
  id: address,
  under: address.default('root'),
  input: z.unknown().optional(),
  restart: z.enum(['permanent', 'transient', 'temporary']).optional(),
  again: z.boolean().default(false).describe('Begins anew where the actor has ended and its result is kept.'),
});

const BRING_ACTOR: PromptMark = {
  name: 'bring-actor',
  description: 'Bring an actor into a state by the events that it takes.',
  arguments: [
    { name: 'address', description: 'The address of the actor.' },
    { name: 'goal', description: 'The state, or what should be so.' },
  ],
  text:
    'Bring the actor {address} to this: {goal}. Look at inspect_actor and show_chart for the events that lead there, ' +
    'and at list_agents for their fields. Send one event at a time with send_event and until: taken, and ' +
    'look again after each. If a person has to decide, say so and stop.',
};

export const TALK_METHODS = {
  'actor.send': kernelMethod({
    means:
      'Sends an event. Answers when it is durable, whether or not the state takes it; with `until: taken`, when ' +
      'its turn is, and with BOSUN_EVENT_NOT_TAKEN where the state did not, or at once with why the actor is ' +
      'suspended: then it is not sent. With `ifSequence` it always waits for its turn, as with `until: taken`.',
    scope: 'actor:send',
    does: 'changes',
    keepsKeys: true,
    params: sendParams,
    result: z.object({ taken: z.boolean().nullable().describe('null if not asked for, and for a repeat.') }),
    http: { verb: 'POST', path: '/v1/actors/{address}/send' },
    example: { p: { address: 'visits', event: { type: 'add', by: 1 } }, r: { taken: null } },
    mcp: { tool: 'send_event', profiles: ['runtime', 'coder', 'hub'], prompts: [BRING_ACTOR] },
    over: 'joined',
    run: send,
  }),
  'actor.sendMany': kernelMethod({
    means:
      'Sends many events in order, each as `actor.send` does, and counted as a call of its own. Answers when all are ' +
      'durable; where some are refused, with BOSUN_SENDS_REFUSED once the others are durable: `details.refused` has ' +
      '`index` and `error` of each. With a key each event counts once, and a repeat sends those that were refused.',
    scope: 'actor:send',
    does: 'changes',
    keepsKeys: true,
    params: manySends,
    result: nothing,
    http: { verb: 'POST', path: '/v1/sends' },
    example: {
      p: {
        sends: [
          { address: 'visits', event: { type: 'add', by: 1 } },
          { address: 'visits', event: { type: 'add', by: 2 } },
        ],
      },
      r: {},
    },
    over: 'joined',
    run: (params, call, parts) => deliverTogether(parts, params, call),
    front: (params, call, parts) => sendGranted(parts, params, call),
  }),
  'actor.ask': kernelMethod({
    means:
      'Sends an event and answers with the reply of the actor, once that is durable. With a key, a repeat gets ' +
      'the recorded reply. BOSUN_EVENT_NOT_TAKEN where the state does not take it.',
    scope: 'actor:send',
    does: 'changes',
    keepsKeys: true,
    keepsTime: true,
    params: askParams,
    result: z.object({ reply: z.unknown() }),
    http: { verb: 'POST', path: '/v1/actors/{address}/ask' },
    example: { p: { address: 'visits', event: { type: 'count' } }, r: { reply: 1 } },
    mcp: { tool: 'ask_actor', profiles: ['runtime', 'coder', 'hub'] },
    over: 'address',
    run: ask,
  }),
  'actor.wait': kernelMethod({
    ...READING,
    keepsTime: true,
    means: 'Answers when the actor meets the condition. BOSUN_TIMEOUT if it does not in the time of the call.',
    params: waitParams,
    result: actorView,
    http: { verb: 'POST', path: '/v1/actors/{address}/wait' },
    example: { p: { address: 'visits', status: 'active' }, r: counter },
    mcp: { tool: 'wait_for_actor', profiles: ['runtime', 'coder', 'hub'] },
    over: 'address',
    run: wait,
  }),
  'actor.spawn': kernelMethod({
    means:
      'Gets the actor, or has its Boss start it. Repeating the call changes nothing: an actor that has ended is not ' +
      'started again while its result is kept, which is `run` then.',
    scope: 'actor:admin',
    does: 'changes',
    params: spawnParams,
    result: z.object({
      address: z.string(),
      run: run.nullable().describe('What became of an actor that has ended; null for one that lives.'),
    }),
    http: { verb: 'POST', path: '/v1/actors' },
    example: { p: { agent: 'counter', id: 'visits' }, r: { address: 'visits', run: null } },
    over: 'joined',
    run: spawn,
  }),
};

async function send(
  { address, event, until, ifSequence }: z.output<typeof sendParams>,
  { caller, session, key }: Call,
  { system, repeats }: CallParts,
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
  { address, event }: z.output<typeof askParams>,
  { caller, key, leftMs }: Call,
  { system: { clientApi }, views }: CallParts,
): Promise<unknown> {
  reach(caller, address);
  const said = spokenBy(caller, event as EventObject, () => clientApi.agentAt(address));
  const name = key === undefined ? {} : { id: keyOf(caller, key), digest: digestOf(['actor.ask', address, event]) };
  return clientApi
    .ask(address, said, { timeoutMs: leftMs, ...name })
    .then((reply) => ({ reply: views.reply(address, reply) }));
}

async function wait(
  { address, value, tag, status }: z.output<typeof waitParams>,
  call: Call,
  { system, views }: CallParts,
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
  { agent: name, id, under, input, restart, again }: z.output<typeof spawnParams>,
  { caller }: Call,
  { system, runs }: CallParts,
): Promise<unknown> {
  const address = reach(caller, childAddress(under, id));
  if (system.clientApi.agent(name) === undefined)
    throw new BosunError('BOSUN_AGENT_UNKNOWN', `the system has no agent ${JSON.stringify(name)}`);
  const result = await system.spawnNamed(name, id, {
    under,
    again,
    ...(restart !== undefined && { restart }),
    ...(input !== undefined && { input: input as never }),
  });
  return { address, run: result === undefined ? null : runs.run(result) };
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
