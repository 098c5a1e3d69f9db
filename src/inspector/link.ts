/**
 * The page's only connection and its state: the page is live, or it says since when it is not. Topics are shared by all
 * views. The only file that makes a client.
 */
import { gatewayUrl } from './gateway-url.ts';
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type ClientError } from '../client/client-error.ts';
import { type Client, createClient } from '../client/client.ts';
import { secretName } from '../client/platform.ts';
import { after, nowMs, setKernelTime } from './time.ts';
import { keepToken, keptToken } from './token.ts';
import { type Emissions } from '../client/emissions.ts';
import type { RecordView } from '../gateway/protocol/record-view.ts';
import type { TurnView } from '../gateway/protocol/views.ts';
import type { Welcome } from '../gateway/protocol/frames.ts';

export interface Live<View> {
  /** The view as of the last frame; undefined before the first. */
  readonly view: View | undefined;
  /** Whether the view is current. */
  readonly isFresh: boolean;
  /** The reason why the topic cannot be seen at present. */
  readonly error: ClientError | undefined;
}

export type LinkPhase =
  | { readonly name: 'connecting' | 'live' | 'catching up' | 'draining' | 'locked' }
  | { readonly name: 'reconnecting'; readonly sinceMs: number }
  | { readonly name: 'closed'; readonly why: string };

/** A break of the connection that has ended. */
export interface Gap {
  readonly atMs: number;
  readonly lastedMs: number;
  /** Whether changes were missed, in which case the view was loaded again. */
  readonly isReloaded: boolean;
  readonly isNewServer: boolean;
}

interface SharedTopic {
  readonly topic: string;
  readonly live: Signal<Live<unknown>>;
  users: number;
  stop: () => void;
}

/** Delay before a topic that could not be seen is requested again, since actors come and go. */
const RETRY_MS = 2_000;

const UNKNOWN: Live<unknown> = { view: undefined, isFresh: false, error: undefined };

let client: Client | undefined;
let instance: string | undefined;
const status = signal<'connecting' | 'live' | 'draining' | 'offline' | 'closed'>('connecting');
const downSinceMs = signal<number | undefined>(undefined);
const failure = signal<ClientError | undefined>(undefined);
const topics = signal<ReadonlyMap<string, SharedTopic>>(new Map());

/** The caller's identity according to the gateway; undefined before the first welcome. */
export const principal = signal<Welcome['principal'] | undefined>(undefined);

export function maySend(): boolean {
  return principal.value?.scopes.includes('actor:send') === true;
}

/** Number of connections so far. Views repeat their requests when it changes. */
export const lines = signal(0);

export const lastGap = signal<Gap | undefined>(undefined);

const isCaughtUp = computed(() =>
  [...topics.value.values()].every(({ live }) => live.value.isFresh || live.value.error !== undefined),
);

export const phase: ReadonlySignal<LinkPhase> = computed(() => {
  const why = failure.value;
  if (why?.code === 'BOSUN_UNAUTHENTICATED') return { name: 'locked' };
  if (status.value === 'closed') return { name: 'closed', why: why?.message ?? 'closed' };
  if (status.value === 'draining') return { name: 'draining' };
  if (status.value === 'live') return { name: isCaughtUp.value ? 'live' : 'catching up' };
  return downSinceMs.value === undefined
    ? { name: 'connecting' }
    : { name: 'reconnecting', sinceMs: downSinceMs.value };
});

/** Connects, and retries early when the network returns or the page becomes visible. */
export function startLink(): void {
  open(keptToken());
  const retry = () => client?.retry();
  addEventListener('online', retry);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && retry());
}

export function unlock(token: string): void {
  keepToken(token);
  open(token);
}

/** Calls any method except sends. Rejects with ClientError. */
export function call<Result>(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Result> {
  return client!.call<Result>(method, params, { timeoutMs: 30_000 });
}

/** Sends an event. Resolves when it has been taken. Rejects with ClientError. */
export async function send(address: string, event: { readonly type: string }): Promise<void> {
  await client!.actor(address).send(event, { until: 'taken', timeoutMs: 10_000 });
}

/** Asks, and resolves with the actor's reply. Rejects with ClientError. */
export function ask(address: string, event: { readonly type: string }): Promise<unknown> {
  return client!.actor(address).ask(event, { timeoutMs: 10_000 });
}

/** Asks once, however often the connection breaks, and resolves with the actor's reply. Rejects with ClientError. */
export function askThrough(address: string, event: { readonly type: string }, timeoutMs: number): Promise<unknown> {
  return client!.actor(address).ask(event, { timeoutMs, key: secretName() });
}

/**
 * Follows the turns of an actor and of all actors below it, from now on, for as long as this client exists.
 *
 * @returns A function that stops it.
 */
export function followTurns(address: string, take: (turn: TurnView) => void): () => void {
  return follow(client!.turns<TurnView>(address), take);
}

/**
 * Follows records of one name of an actor, after a known one.
 *
 * @returns A function that stops it.
 */
export function followRecords(
  address: string,
  name: string,
  behind: { readonly after: number; readonly life: number },
  take: (record: RecordView) => void,
): () => void {
  return follow(client!.records.tail(address, name, behind), take);
}

function follow<What>(emissions: Emissions<What>, take: (what: What) => void): () => void {
  void (async () => {
    try {
      for await (const what of emissions) take(what);
    } catch {
      // Followers also call for the existing data, and get the error there.
    }
  })();
  return () => emissions[Symbol.dispose]();
}

/** Shares a topic among its users. */
export function share(topic: string): { readonly live: ReadonlySignal<Live<unknown>>; readonly release: () => void } {
  let shared = topics.value.get(topic);
  if (shared === undefined) {
    shared = { topic, live: signal(UNKNOWN), users: 0, stop: () => {} };
    topics.value = new Map(topics.value).set(topic, shared);
    watch(shared);
  }
  const used = shared;
  used.users += 1;
  return { live: used.live, release: () => release(used) };
}

function release(shared: SharedTopic): void {
  shared.users -= 1;
  if (shared.users > 0) return;
  shared.stop();
  const left = new Map(topics.value);
  left.delete(shared.topic);
  topics.value = left;
}

function open(token: string | undefined): void {
  client?.close();
  const next = createClient(gatewayUrl(), { name: 'inspector', ...(token !== undefined && { token }) });
  client = next;
  failure.value = undefined;
  downSinceMs.value = undefined;
  status.value = next.status.get();
  next.status.subscribe((now) => client === next && heard(next, now));
  for (const shared of topics.value.values()) {
    // The close of the previous client has scheduled a retry; cancel it.
    shared.stop();
    watch(shared);
  }
}

function heard(from: Client, now: typeof status.value): void {
  const wasLive = status.value === 'live' || status.value === 'draining';
  status.value = now;
  if (now === 'live') return up(from);
  if (now === 'draining') return;
  if (wasLive) {
    downSinceMs.value = nowMs();
    for (const { live } of topics.value.values()) live.value = { ...live.value, isFresh: false };
  }
  // The reason is set after all listeners have been called.
  if (now === 'closed') queueMicrotask(() => (failure.value = from.failure));
}

function up(from: Client): void {
  const { server, principal: who, nowMs: kernelMs } = from.welcome!;
  setKernelTime(kernelMs);
  principal.value = who;
  const since = downSinceMs.value;
  if (since !== undefined)
    lastGap.value = {
      atMs: nowMs(),
      lastedMs: nowMs() - since,
      isReloaded: false,
      isNewServer: instance !== server.instance,
    };
  instance = server.instance;
  downSinceMs.value = undefined;
  lines.value += 1;
}

function watch(shared: SharedTopic): void {
  const { live, topic } = shared;
  let stopRetry: (() => void) | undefined;
  const subscription = client!.watch<unknown>(topic, {
    next: (view) => {
      const { isFresh, view: before } = live.value;
      // The first view after a break differs: changes in between were missed.
      if (!isFresh && before !== undefined && lastGap.value !== undefined)
        lastGap.value = { ...lastGap.value, isReloaded: true };
      live.value = { view, isFresh: true, error: undefined };
    },
    confirmed: () => (live.value = { ...live.value, isFresh: true, error: undefined }),
    error: (error) => {
      live.value = { ...live.value, isFresh: false, error };
      stopRetry = after(RETRY_MS, () => watch(shared));
    },
  });
  shared.stop = () => {
    stopRetry?.();
    subscription.unsubscribe();
  };
}
