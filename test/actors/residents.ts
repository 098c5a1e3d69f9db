/** Agents for the tests of passivation: one that does whatever keeps an actor awake or wakes another one, under Bosses of each kind. */
import { assign, enqueueActions, fromPromise, raise, sendTo, setup, spawnChild, stopChild } from 'xstate';
import { type AnyAgent } from '../../src/actors/agent.ts';
import { type Ref } from '../../src/actors/ref.ts';
import { join, link, monitor, publish, register } from '../../src/actors/talk/talk-actions.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../src/testing/test-system.ts';
import { agentOf } from './subject.ts';

const kid = setup({ types: {} as { context: { told: number } } }).createMachine({
  context: { told: 0 },
  on: { TOLD: { actions: assign({ told: ({ context }) => context.told + 1 }) } },
});

export const PEER_EVENTS = ['UP', 'NAME', 'MEET', 'PASS', 'WATCH', 'LINK', 'JOIN', 'CRY', 'CRASH', 'BLOW', 'LATER', 'TICK', 'PARENT', 'TELL', 'CHILDLESS', 'WORK', 'END'] as const;

interface Peer {
  readonly count: number;
  readonly ticks: number;
  readonly done: number;
  readonly friend: Ref | null;
  readonly downs: readonly string[];
}

/** `what`: a name, or the address of another peer. */
type PeerEvent = { readonly type: (typeof PEER_EVENTS)[number]; readonly what: string } | { readonly type: 'bosun.down'; readonly address: string; readonly reason: string };

const machine = setup({
  types: {} as { context: Peer; events: PeerEvent },
  actors: { kid, work: fromPromise(async () => 1) },
  actions: {
    blow: () => {
      throw new Error('an action, as told');
    },
  },
}).createMachine({
  context: { count: 0, ticks: 0, done: 0, friend: null, downs: [] },
  initial: 'idle',
  on: {
    UP: { actions: assign({ count: ({ context }) => context.count + 1 }) },
    NAME: { actions: register(({ event }) => (event as { what: string }).what) },
    // A reference, kept over the sleep of both.
    MEET: { actions: assign({ friend: ({ event, system }) => (system.get((event as { what: string }).what) as Ref | undefined) ?? null }) },
    PASS: { actions: enqueueActions(({ context, enqueue }) => void (context.friend !== null && enqueue.sendTo(context.friend as never, { type: 'UP' } as never))) },
    WATCH: { actions: monitor(({ event }) => (event as { what: string }).what) },
    LINK: { actions: link(({ event }) => (event as { what: string }).what) },
    'bosun.down': { actions: assign({ downs: ({ context, event }) => [...context.downs, event.address] }) },
    JOIN: { actions: join('all') },
    CRY: { actions: publish('all', { type: 'UP' }) },
    CRASH: {
      actions: assign(() => {
        throw new Error('as told');
      }),
    },
    BLOW: { actions: 'blow' },
    LATER: { actions: raise({ type: 'TICK', what: '' }, { delay: 1_000, id: 'tick' }) },
    TICK: { actions: assign({ ticks: ({ context }) => context.ticks + 1 }) },
    PARENT: { actions: spawnChild('kid', { id: 'kid' }) },
    TELL: { actions: sendTo('kid', { type: 'TOLD' }) },
    CHILDLESS: { actions: stopChild('kid') },
    WORK: '.working',
    END: '.ended',
  },
  states: {
    idle: {},
    working: { invoke: { src: 'work', onDone: { target: 'idle', actions: assign({ done: ({ context }) => context.done + 1 }) } } },
    ended: { type: 'final' },
  },
});

export const peer: AnyAgent = agentOf('peer', machine, PEER_EVENTS);

/** So many peers under the root, `peer-0` and so on; those to be kept in memory are few. */
export async function startPeers(count: number, options: Partial<TestSystemOptions> & { readonly under?: string } = {}): Promise<TestSystem> {
  const { under, ...rest } = options;
  const test = await startTestSystem({ agents: [peer], tree: { intensity: 1_000 }, residentActors: 3, journal: { fold: { windowEpochs: 8 } }, ...rest });
  for (let n = 0; n < count; n++) await test.system.spawn(peer, `peer-${n}`, { ...(under !== undefined && { under }) });
  await test.settle();
  return test;
}

export async function tellPeer(test: TestSystem, address: string, type: string, fields: object = {}): Promise<void> {
  await test.system.send(address, { type, ...fields });
  await test.settle();
}
