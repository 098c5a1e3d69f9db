/**
 * Agents for the tests of passivation: one that does everything that keeps an actor awake or wakes another one, under
 * Bosses of each kind.
 */
import {
  assign,
  createMachine,
  enqueueActions,
  fromPromise,
  raise,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { type Ref } from '../../../src/actors/model/ref.ts';
import { ask } from '../../../src/actors/model/ask.ts';
import { join, link, monitor, publish, register, reply, type ReplyTo } from '../../../src/actors/model/talk-actions.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { agentOf } from './subject.ts';

const kid = setup({ types: {} as { context: { told: number } } }).createMachine({
  context: { told: 0 },
  on: { TOLD: { actions: assign({ told: ({ context }) => context.told + 1 }) } },
});

export const PEER_EVENTS = [
  'UP',
  'NAME',
  'MEET',
  'PASS',
  'WATCH',
  'LINK',
  'JOIN',
  'CRY',
  'CRASH',
  'BLOW',
  'LATER',
  'TICK',
  'PARENT',
  'TELL',
  'CHILDLESS',
  'WORK',
  'ASK',
  'HOLD',
  'ANSWER',
  'HIRE',
  'END',
] as const;

interface Peer {
  readonly count: number;
  readonly ticks: number;
  readonly done: number;
  readonly friend: Ref | null;
  readonly downs: readonly string[];
  /** Requests that it still has to answer. */
  readonly held: readonly ReplyTo[];
  /** Replies that it got, codes of failed requests, and ends of its children. */
  readonly replies: readonly unknown[];
}

/** Events of a peer; `what` is a name, or the address of another peer. */
type PeerEvent =
  | { readonly type: (typeof PEER_EVENTS)[number]; readonly what: string; readonly replyTo?: ReplyTo }
  | { readonly type: 'bosun.down'; readonly address: string; readonly reason: string };

/** A child that ends by itself. */
const hand = createMachine({
  initial: 'at work',
  states: { 'at work': { after: { 1_500: 'over' } }, over: { type: 'final' } },
});

const machine = setup({
  types: {} as { context: Peer; events: PeerEvent },
  actors: { kid, hand, ask, work: fromPromise(async () => 1) },
  actions: {
    blow: () => {
      throw new Error('an action, as told');
    },
  },
}).createMachine({
  context: { count: 0, ticks: 0, done: 0, friend: null, downs: [], held: [], replies: [] },
  initial: 'idle',
  on: {
    UP: { actions: assign({ count: ({ context }) => context.count + 1 }) },
    NAME: { actions: register(({ event }) => (event as { what: string }).what) },
    // Keeps a reference while both actors sleep.
    MEET: {
      actions: assign({
        friend: ({ event, system }) => (system.get((event as { what: string }).what) as Ref | undefined) ?? null,
      }),
    },
    PASS: {
      actions: enqueueActions(
        ({ context, enqueue }) =>
          void (context.friend !== null && enqueue.sendTo(context.friend as never, { type: 'UP' } as never)),
      ),
    },
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
    HOLD: {
      actions: assign({
        held: ({ context, event }) => [...context.held, (event as { replyTo?: ReplyTo }).replyTo ?? []].flat(),
      }),
    },
    ANSWER: {
      actions: [
        reply(({ context }) => context.count, { to: ({ context }) => context.held[0] }),
        assign({ held: ({ context }) => context.held.slice(1) }),
      ],
    },
    WORK: '.working',
    ASK: '.asking',
    HIRE: '.hiring',
    END: '.ended',
  },
  states: {
    idle: {},
    working: {
      invoke: { src: 'work', onDone: { target: 'idle', actions: assign({ done: ({ context }) => context.done + 1 }) } },
    },
    asking: {
      invoke: {
        src: 'ask',
        input: ({ event }) => ({ to: (event as { what: string }).what, event: { type: 'HOLD', what: '' } }),
        onDone: {
          target: 'idle',
          actions: assign({ replies: ({ context, event }) => [...context.replies, event.output] }),
        },
        onError: {
          target: 'idle',
          actions: assign({
            replies: ({ context, event }) => [...context.replies, (event.error as { code?: string }).code],
          }),
        },
      },
    },
    hiring: {
      invoke: {
        src: 'hand',
        id: 'hand',
        onDone: { target: 'idle', actions: assign({ replies: ({ context }) => [...context.replies, 'the hand'] }) },
      },
    },
    ended: { type: 'final' },
  },
});

export const peer: AnyAgent = agentOf('peer', machine, PEER_EVENTS);

/** Starts `count` peers under the root, `peer-0` and so on, with few of them kept in memory. */
export async function startPeers(
  count: number,
  options: Partial<TestSystemOptions> & { readonly under?: string } = {},
): Promise<TestSystem> {
  const { under, ...rest } = options;
  const test = await startTestSystem({
    agents: [peer],
    tree: { intensity: 1_000 },
    residentActors: 3,
    journal: { fold: { windowEpochs: 8 } },
    ...rest,
  });
  for (let n = 0; n < count; n++) await test.shard.spawn(peer, `peer-${n}`, { ...(under !== undefined && { under }) });
  await test.settle();
  return test;
}

export async function tellPeer(test: TestSystem, address: string, type: string, fields: object = {}): Promise<void> {
  await test.shard.send(address, { type, ...fields });
  await test.settle();
}
