/**
 * The handlers of methods.ts for a system that is spread over workers: which worker gateways carry a call out, and how
 * the answers of several become one. Scopes and parameters have been checked before; whom a caller may reach, the
 * worker gateways check.
 */
import { checkAddress, childAddress } from '../../actors/model/address.ts';
import { type Clock } from '../../clock.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { WORKER_ANSWER_MS } from '../../limits.ts';
import { type TreeNode } from '../../system-options.ts';
import { type Call, type BackendHandlers, Marked } from '../calls/call.ts';
import { type MethodName, METHODS, type ParamsOf } from '../calls/methods.ts';
import { treePage, treeView } from '../topics/tree-views.ts';
import { allWorkers, type WorkerResponse, type WorkerRequest, callWorker, type WorkerGateways } from './worker-port.ts';
import { Numbers } from './numbers.ts';
import { type SessionQueues } from './session-queues.ts';

export interface RouteParts {
  readonly gateways: WorkerGateways;
  readonly lines: SessionQueues;
  readonly clock: Clock;
  readonly tree: (address: string) => Promise<TreeNode>;
  /** `system.info`. */
  readonly info: () => Promise<unknown>;
}

type NumberedRow = { readonly number: number };
type RouteParams = Readonly<Record<string, unknown>>;

const READS = ['actor.get', 'table.read', 'actor.inspect', 'chart.get', 'actor.history', 'actor.replace'] as const;
const ORDERS = [
  'actor.suspend',
  'actor.resume',
  'actor.step',
  'actor.kill',
  'actor.stop',
  'actor.restart',
  'actor.erase',
] as const;
const CHILD_ORDERS = ['boss.terminateChild', 'boss.restartChild', 'boss.deleteChild'] as const;

export class Routes {
  readonly #parts: RouteParts;
  readonly #numbers: Numbers;

  constructor(parts: RouteParts) {
    this.#parts = parts;
    this.#numbers = new Numbers(parts.gateways.count);
  }

  handlers(): BackendHandlers {
    const { tree, info } = this.#parts;
    return {
      ...this.#ofOneActor(),
      ...this.#ofLetters(),
      'boss.children': (params, call) => this.#children(params, call),
      'actor.send': (params, call) => this.#send(params, call),
      'actor.list': async ({ under, ...page }, { caller }) => treePage(caller, await tree(checkAddress(under)), page),
      'actor.tree': async ({ address, depth }, { caller }) =>
        treeView(caller, await tree(checkAddress(address)), depth),
      'actor.turns': (params, call) => this.#turns(params, call),
      'audit.list': (params, call) => this.#audit(params, call),
      'wait.list': async (params, call) => {
        const waits = await this.#rows<{ readonly sinceMs: number | null }>('wait.list', 'waits', params, call);
        return {
          waits: waits
            .flat()
            .sort((a, b) => (a.sinceMs ?? Infinity) - (b.sinceMs ?? Infinity))
            .slice(0, params.limit),
        };
      },
      'name.find': async (params, call) => {
        const answers = (await this.#each(this.#all, 'name.find', params, call)) as {
          readonly address: string | null;
        }[];
        return { address: answers.find(({ address }) => address !== null)?.address ?? null };
      },
      'group.members': async (params, call) => ({
        members: (await this.#rows<string>('group.members', 'members', params, call)).flat(),
      }),
      'agent.list': (params, call) => this.#at(this.#anyUp(), 'agent.list', params, call),
      'system.info': () => info(),
    };
  }

  /**
   * Of a Boss with partitions, what is looked at is that on the first worker, and what is ordered is ordered of each.
   */
  #ofOneActor() {
    const { gateways } = this.#parts;
    const toEach = async (workers: readonly number[], method: MethodName, params: RouteParams, call: Call) =>
      (await this.#each(workers, method, params, call))[0];
    return {
      ...forEach(READS, (method) => async (params, call) => this.#at(this.#home(params.address), method, params, call)),
      ...forEach(
        ORDERS,
        (method) => async (params, call) => toEach(gateways.homesOf(params.address), method, params, call),
      ),
      ...forEach(CHILD_ORDERS, (method) => async (params, call) => {
        const child = childAddress(params.address, (params as unknown as { readonly id: string }).id);
        return toEach(gateways.homesOf(child), method, params, call);
      }),
      'machine.get': async (params: ParamsOf<'machine.get'>, call: Call) =>
        this.#at(this.#named(params.name), 'machine.get', params, call),
      'actor.wait': async (params: ParamsOf<'actor.wait'>, call: Call) =>
        this.#within(call, this.#at(this.#home(params.address), 'actor.wait', params, call)),
      'actor.ask': async (params: ParamsOf<'actor.ask'>, call: Call) =>
        this.#within(call, this.#at(this.#home(params.address), 'actor.ask', params, call, call.key !== undefined)),
      'actor.spawn': async (params: ParamsOf<'actor.spawn'>, call: Call) =>
        this.#at(this.#home(childAddress(params.under, params.id)), 'actor.spawn', params, call, true),
    };
  }

  async #children(params: ParamsOf<'boss.children'>, call: Call): Promise<unknown> {
    const homes = this.#parts.gateways.homesOf(params.address);
    const lists = await this.#rows<Child>('boss.children', 'children', params, call, () => params, homes);
    return { children: asOne(lists.flat()) };
  }

  #ofLetters(): Pick<BackendHandlers, 'deadletter.list' | 'deadletter.redeliver' | 'deadletter.discard'> {
    const ofOne = (method: MethodName) => async (params: NumberedRow, call: Call) => {
      const { worker, number } = this.#numbers.own(params.number);
      return this.#at(worker, method, { ...params, number }, call);
    };
    return {
      'deadletter.list': async (params, call) => {
        const lists = await this.#rows<NumberedRow>('deadletter.list', 'letters', params, call, (worker) => ({
          ...params,
          after: this.#numbers.upTo(params.after, worker),
        }));
        return { letters: this.#shown(lists).slice(0, params.limit) };
      },
      'deadletter.redeliver': ofOne('deadletter.redeliver'),
      'deadletter.discard': ofOne('deadletter.discard'),
    };
  }

  async #send(params: ParamsOf<'actor.send'>, call: Call): Promise<unknown> {
    const home = this.#home(params.address);
    const { session } = call;
    if (session === undefined) return this.#at(home, 'actor.send', params, call, call.key !== undefined);
    return this.#parts.lines.send(call.caller, session, home, (accepted) =>
      this.#at(home, 'actor.send', params, { ...call, session: { ...session, accepted } }, true),
    );
  }

  async #turns(params: ParamsOf<'actor.turns'>, call: Call): Promise<unknown> {
    const homes = this.#parts.gateways.homesOf(params.address);
    const lists = await this.#rows<NumberedRow & { readonly atMs: number }>(
      'actor.turns',
      'turns',
      params,
      call,
      (worker) => ({ ...params, after: this.#numbers.upTo(params.after, worker) }),
      homes,
    );
    const turns = lists.flatMap((list, index) => this.#numbers.of(homes[index]!, list));
    return { turns: turns.sort((a, b) => a.atMs - b.atMs || a.number - b.number).slice(-params.limit) };
  }

  async #audit(params: ParamsOf<'audit.list'>, call: Call): Promise<unknown> {
    const { before } = params;
    const lists = await this.#rows<NumberedRow>('audit.list', 'records', params, call, (worker) =>
      before === undefined ? params : { ...params, before: this.#numbers.upTo(before - 1, worker) + 1 },
    );
    return { records: this.#shown(lists).reverse().slice(0, params.limit) };
  }

  /** By number, the lowest first. */
  #shown(lists: readonly (readonly NumberedRow[])[]): NumberedRow[] {
    return lists.flatMap((rows, worker) => this.#numbers.of(worker, rows)).sort((a, b) => a.number - b.number);
  }

  async #rows<Row>(
    method: MethodName,
    field: string,
    params: RouteParams,
    call: Call,
    paramsOf: (worker: number) => RouteParams = () => params,
    workers: readonly number[] = this.#all,
  ): Promise<Row[][]> {
    const answers = await Promise.all(workers.map((worker) => this.#at(worker, method, paramsOf(worker), call)));
    return answers.map((answer) => (answer as Readonly<Record<string, Row[]>>)[field]!);
  }

  #each(workers: readonly number[], method: MethodName, params: RouteParams, call: Call): Promise<unknown[]> {
    return Promise.all(workers.map((worker) => this.#at(worker, method, params, call)));
  }

  async #at(
    worker: number,
    method: MethodName,
    params: RouteParams,
    { caller, session, key, leftMs }: Call,
    isRepeatable = METHODS[method].does === 'nothing',
  ): Promise<unknown> {
    const asked: WorkerRequest = { caller, session, key, leftMs };
    const { result, replayed }: WorkerResponse = await callWorker(
      this.#parts.gateways,
      worker,
      'call',
      [method, params, asked],
      { isRepeatable },
    );
    return replayed === undefined ? result : new Marked({ result, replayed });
  }

  /** They end in time by themselves, unless their worker is down. */
  #within(call: Call, answer: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const late = () =>
        reject(
          new BosunError('BOSUN_TIMEOUT', `no answer within ${call.leftMs} ms; it may still happen`, {
            details: { unknownOutcome: true },
          }),
        );
      const cancel = this.#parts.clock.setTimeout(late, call.leftMs + WORKER_ANSWER_MS);
      answer.finally(cancel).then(resolve, reject);
    });
  }

  get #all(): readonly number[] {
    return allWorkers(this.#parts.gateways);
  }

  #home(address: string): number {
    return this.#parts.gateways.homesOf(address)[0]!;
  }

  /** Of an actor, or of an agent, whom all workers know. */
  #named(name: string): number {
    try {
      return this.#home(name);
    } catch (error) {
      if (!isBosunError(error, 'BOSUN_ADDRESS_INVALID')) throw error;
      return this.#anyUp();
    }
  }

  #anyUp(): number {
    return this.#all.find((worker) => this.#parts.gateways.isUp(worker)) ?? 0;
  }
}

/** One handler for several methods that name an actor by `address`. */
function forEach<Name extends MethodName>(
  names: readonly Name[],
  handlerOf: (method: Name) => (params: { readonly address: string }, call: Call) => Promise<unknown>,
): Record<Name, (params: { readonly address: string }, call: Call) => Promise<unknown>> {
  // What `fromEntries` gives has these names, which its type does not say.
  return Object.fromEntries(names.map((name) => [name, handlerOf(name)])) as never;
}

interface Child {
  readonly address: string;
  readonly restarts: number;
  readonly status: string;
}

/** A child with partitions is listed once: with the restarts of all, and with what is not as it should be. */
function asOne(children: readonly Child[]): Child[] {
  const found = new Map<string, Child>();
  for (const child of children) {
    const other = found.get(child.address);
    const shown = other !== undefined && child.status === 'running' ? other : child;
    found.set(child.address, { ...shown, restarts: child.restarts + (other?.restarts ?? 0) });
  }
  return [...found.values()];
}
