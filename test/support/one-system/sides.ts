/**
 * Three sides from which one system is seen: a host with one kernel, a host with two workers, and a client of a
 * gateway. Each has the same methods, so that a rule is one function for all.
 */
import { type EventObject } from 'xstate';
import { type Client, createClient } from '../../../src/client/client.ts';
import { type RecordKey } from '../../../src/actors/api/record-pages.ts';
import { createGateway } from '../../../src/gateway/network/server.ts';
import { type StateReplacement } from '../../../src/actors/loop/administration.ts';
import { type System } from '../../../src/system.ts';
import { gatewaySocket } from '../../../src/testing/gateway-socket.ts';
import { startSpreadTestSystem } from '../../../src/testing/spread-test-system.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { type VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { CAST, TREE } from './cast.ts';

type AnyEvent = EventObject & { readonly [field: string]: unknown };
type Row = Readonly<Record<string, unknown>>;

/** The part of a snapshot that all sides have. */
export interface Seen {
  readonly status: string;
  readonly value: unknown;
  readonly context?: unknown;
  readonly sequence: number;
  readonly output?: unknown;
  matches(value: string | object): boolean;
  hasTag(tag: string): boolean;
  can(event: EventObject): boolean;
}

/** The part of an actor's handle that all sides have. */
export interface Handle {
  readonly address: string;
  getSnapshot(): Seen;
  subscribe(next: (snapshot: Seen) => void, error?: (error: unknown) => void, complete?: () => void): Ends;
  on(type: string, handler: (event: AnyEvent) => void): Ends;
  send(event: AnyEvent): Promise<unknown>;
  sendMany(events: readonly AnyEvent[]): Promise<void>;
  ask(event: AnyEvent, options?: { readonly timeoutMs?: number }): Promise<unknown>;
  waitFor(condition: (snapshot: Seen) => boolean, options?: { readonly timeoutMs?: number }): Promise<Seen>;
}

interface Ends {
  unsubscribe(): void;
}

/** Abilities of a host or a client. */
export interface Verbs {
  actor(address: string): Promise<Handle>;
  sendMany(requests: readonly { readonly to: string; readonly event: AnyEvent }[]): Promise<void>;
  /** Asks once, however often the key is repeated. */
  askOnce(address: string, event: AnyEvent, key: string): Promise<unknown>;
  spawn(agent: string, id: string): Promise<string>;
  tree(address?: string): Promise<Row>;
  lookup(name: string): Promise<string | null>;
  members(group: string): Promise<readonly string[]>;
  children(boss: string): Promise<readonly Row[]>;
  terminateChild(boss: string, id: string): Promise<unknown>;
  restartChild(boss: string, id: string): Promise<string>;
  deleteChild(boss: string, id: string): Promise<unknown>;
  suspend(address: string): Promise<unknown>;
  resume(address: string): Promise<unknown>;
  step(address: string): Promise<string | null>;
  kill(address: string): Promise<unknown>;
  erase(address: string): Promise<unknown>;
  replace(address: string, next: StateReplacement, ifSequence?: number): Promise<unknown>;
  putRow(address: string, key: string, row: unknown): Promise<unknown>;
  deleteRow(address: string, key: string): Promise<unknown>;
  audit(address?: string): Promise<readonly Row[]>;
  letters(): Promise<readonly Row[]>;
  redeliver(number: number): Promise<unknown>;
  edit(number: number, event: AnyEvent): Promise<unknown>;
  discard(number: number): Promise<unknown>;
  records(address: string, which?: object): Promise<Row>;
  found(key: RecordKey): Promise<readonly Row[]>;
  turns(address: string): Promise<readonly Row[]>;
}

/** A side, with the time of its system. */
export interface Side extends Verbs {
  /** Lets everything happen that needs no time, and gives what a promise has come to. */
  now<T>(promise: Promise<T>): Promise<T>;
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

const AS = { by: 'ada' };
const OPTIONS = { agents: CAST, tree: TREE };

/** Every side by its name. */
export const SIDES: Readonly<Record<string, () => Promise<Side>>> = {
  'one kernel': async () => {
    const test = await startTestSystem(OPTIONS);
    return side(
      hostVerbs(test.system),
      test.clock,
      () => test.settle(),
      () => test.system.stop(),
    );
  },
  'two workers': async () => {
    const test = await startSpreadTestSystem({ ...OPTIONS, workers: 2 });
    return side(
      hostVerbs(test.system),
      test.clock,
      () => test.settle(),
      () => test.system.stop(),
    );
  },
  'bosun/client': async () => {
    const test = await startTestSystem(OPTIONS);
    return clientSide(test.system, test.clock, () => test.settle());
  },
  'bosun/client over two workers': async () => {
    const test = await startSpreadTestSystem({ ...OPTIONS, workers: 2 });
    return clientSide(test.system, test.clock, () => test.settle());
  },
};

function side(verbs: Verbs, clock: VirtualClock, settle: () => Promise<void>, close: () => Promise<void>): Side {
  const settled = async () => {
    // Frames to a client, and what it answers, take rounds of their own.
    for (let round = 0; round < 6; round++) await settle();
  };
  return {
    ...verbs,
    async now(promise) {
      promise.catch(() => {});
      await settled();
      return promise;
    },
    advance: (ms) => clock.advance(ms, settled),
    close,
  };
}

async function clientSide(system: System, clock: VirtualClock, settle: () => Promise<void>): Promise<Side> {
  const gateway = createGateway(system, { clock, destructive: true, log: () => {} });
  const { WebSocket } = gatewaySocket(() => gateway, clock);
  const client = createClient<(typeof CAST)[number]>('ws://test', { WebSocket, clock });
  const close = async () => {
    client.close();
    gateway.abandon();
    await system.stop();
  };
  const made = side(clientVerbs(client), clock, settle, close);
  await made.now(Promise.resolve());
  return made;
}

function hostVerbs(system: System): Verbs {
  const { admin, deadLetters } = system;
  return {
    actor: async (address) => (await system.actor(address)) as unknown as Handle,
    sendMany: (requests) => system.sendMany(requests),
    askOnce: (address, event, id) => system.ask(address, event, { id }),
    spawn: async (agent, id) => (await system.spawn(CAST.find(({ name }) => name === agent)!, id)).address,
    tree: async (address) => (await system.tree(address)) as unknown as Row,
    lookup: async (name) => (await system.lookup(name))?.address ?? null,
    members: (group) => system.members(group),
    children: async (boss) => (await system.boss(boss).whichChildren()) as unknown as Row[],
    terminateChild: (boss, id) => system.boss(boss, AS).terminateChild(id),
    restartChild: (boss, id) => system.boss(boss, AS).restartChild(id),
    deleteChild: (boss, id) => system.boss(boss, AS).deleteChild(id),
    suspend: (address) => admin.suspend(address, AS),
    resume: (address) => admin.resume(address, AS),
    step: async (address) => (await admin.step(address, AS))?.type ?? null,
    kill: (address) => admin.kill(address, AS),
    erase: (address) => system.erase(address, AS),
    replace: (address, next, ifSequence) => admin.replaceState(address, next, AS, { ifSequence }),
    putRow: (address, key, row) => admin.putRow(address, { table: 'rows', key }, row, AS),
    deleteRow: (address, key) => admin.deleteRow(address, { table: 'rows', key }, AS),
    audit: async (address) => (await admin.audit(address === undefined ? {} : { address })) as unknown as Row[],
    letters: async () => (await deadLetters.list()) as unknown as Row[],
    redeliver: (number) => deadLetters.redeliver(number, AS),
    edit: (number, event) => deadLetters.edit(number, event, AS),
    discard: (number) => deadLetters.discard(number, AS),
    records: async (address, which) => (await system.records.list(address, 'notes', which)) as unknown as Row,
    found: async (key) => (await system.records.find('worker', 'notes', key)).records as unknown as Row[],
    turns: async (address) => (await admin.recent(address)) as unknown as Row[],
  };
}

function clientVerbs(client: Client<(typeof CAST)[number]>): Verbs {
  const call = async <Result>(method: string, params: object): Promise<Result> => {
    const given = Object.entries(params).filter(([, value]) => value !== undefined);
    return (await client.call(method, Object.fromEntries(given))) as Result;
  };
  const of = async <Result>(method: string, params: object, name: string) =>
    (await call<Record<string, Result>>(method, params))[name]!;
  return {
    actor: async (address) => {
      // A host gets a handle where an actor lives. A client's waits for the birth of one.
      await call('actor.get', { address });
      const actor = client.actor(address);
      // A host's handle hears of its actor as long as it is held.
      actor.subscribe(() => {});
      await actor.ready();
      return actor as unknown as Handle;
    },
    sendMany: (requests) => client.sendMany(requests as never),
    askOnce: (address, event, key) => client.actor(address).ask(event as never, { key }),
    spawn: (agent, id) => of('actor.spawn', { agent, id }, 'address'),
    tree: (address) => call('actor.tree', { address }),
    lookup: (name) => of('name.find', { name }, 'address'),
    members: (name) => of('group.members', { name }, 'members'),
    children: (address) => of('boss.children', { address }, 'children'),
    terminateChild: (address, id) => call('boss.terminateChild', { address, id }),
    restartChild: (address, id) => of('boss.restartChild', { address, id }, 'address'),
    deleteChild: (address, id) => call('boss.deleteChild', { address, id }),
    suspend: (address) => call('actor.suspend', { address }),
    resume: (address) => call('actor.resume', { address }),
    step: (address) => of('actor.step', { address }, 'event'),
    kill: (address) => call('actor.kill', { address }),
    erase: (address) => call('actor.erase', { address }),
    replace: (address, next, ifSequence) => call('actor.replace', { address, ...next, ifSequence }),
    putRow: (address, key, row) => call('table.put', { address, table: 'rows', key, row }),
    deleteRow: (address, key) => call('table.delete', { address, table: 'rows', key }),
    audit: (address) => of('audit.list', { address }, 'records'),
    letters: () => of('deadletter.list', {}, 'letters'),
    redeliver: (number) => call('deadletter.redeliver', { number }),
    edit: (number, event) => call('deadletter.redeliver', { number, event }),
    discard: (number) => call('deadletter.discard', { number }),
    records: async (address, which) => (await client.records.list(address, 'notes', which)) as unknown as Row,
    found: async (key) => (await client.records.find('worker', 'notes', key)).records as unknown as Row[],
    turns: (address) => of('actor.turns', { address }, 'turns'),
  };
}
