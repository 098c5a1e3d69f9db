/**
 * The handlers of a system over workers: which worker gateways carry out a call, by the row of its method, and how
 * several answers become one. Scopes and parameters were checked before; the worker gateways check addresses.
 */
import { type FoundRecord, type FoundRecords, mergedFound } from '../../actors/api/record-pages.ts';
import { mergedRuns, type RunPage } from '../../actors/api/run-pages.ts';
import { refusalOf, refusalsOf, throwRefused } from '../../actors/api/refused-sends.ts';
import { checkAddress, childAddress } from '../../actors/model/address.ts';
import { type SendRefusal } from '../../actors/world/mailbox/inbound.ts';
import { type Clock } from '../../clock.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { WORKER_ANSWER_MS } from '../limits.ts';
import { type Call, Marked } from '../calls/call.ts';
import { type MethodRow, type OverWorkers } from '../calls/method-row.ts';
import {
  type BackendHandlers,
  type KernelMethodName,
  kernelMethods,
  type MethodName,
  METHODS,
  type ParamsOf,
} from '../calls/methods.ts';
import { FittingRecords } from '../topics/record-views.ts';
import { type RunPageView, type RunView } from '../protocol/run-view.ts';
import { type PagedTree } from '../protocol/views.ts';
import { type ActorPage } from '../topics/actor-pages.ts';
import { joinedList, joinedTree, type JoinNodes } from './joined-pages.ts';
import { allWorkers, type WorkerResponse, type WorkerRequest, callWorker, type WorkerGateways } from './worker-port.ts';
import { Numbers } from './numbers.ts';
import { type SessionQueues } from './session-queues.ts';

export interface RouteParts {
  readonly gateways: WorkerGateways;
  readonly lines: SessionQueues;
  readonly clock: Clock;
  readonly join: JoinNodes;
  /** The handler of `system.info`. */
  readonly info: () => Promise<unknown>;
}

type NumberedRow = { readonly number: number };
type RouteParams = Readonly<Record<string, unknown>>;

/** The parameters of a method about an actor, or about a child of a Boss. */
type OfActor = RouteParams & { readonly address: string; readonly id?: string };

export class Routes {
  readonly #parts: RouteParts;
  readonly #numbers: Numbers;

  constructor(parts: RouteParts) {
    this.#parts = parts;
    this.#numbers = new Numbers(parts.gateways.count);
  }

  /** The handlers of all methods, by the ways over workers that their rows name. */
  handlers(): BackendHandlers {
    const simple = kernelMethods().flatMap(([name, row]) => {
      const { over } = row.way;
      return over === 'joined' ? [] : [[name, this.#handlerOf(name, row, over)] as const];
    });
    // The rows' own types pair each method with its parameters.
    return { ...(Object.fromEntries(simple) as unknown as BackendHandlers), ...this.#joined() };
  }

  #handlerOf(
    method: KernelMethodName,
    { does, keepsKeys, keepsTime }: MethodRow,
    over: Exclude<OverWorkers, 'joined'>,
  ) {
    const toEach = async (workers: readonly number[], params: RouteParams, call: Call) =>
      (await this.#each(workers, method, params, call))[0];
    const { gateways } = this.#parts;
    const ways: Readonly<Record<typeof over, (params: OfActor, call: Call) => Promise<unknown>>> = {
      address: (params, call) => {
        const isRepeatable = does === 'nothing' || (keepsKeys === true && call.key !== undefined);
        const answer = this.#at(this.#home(params.address), method, params, call, isRepeatable);
        return keepsTime === true ? this.#within(call, answer) : answer;
      },
      addresses: (params, call) => toEach(gateways.homesOf(params.address), params, call),
      child: (params, call) => toEach(gateways.homesOf(childAddress(params.address, params.id!)), params, call),
      any: (params, call) => this.#at(this.#anyUp(), method, params, call),
    };
    // A refusal of an address is a rejection, as it is beside a kernel.
    return async (params: OfActor, call: Call) => ways[over](params, call);
  }

  /** Handlers of the methods whose answers are joined, or whose worker does not follow from `address`. */
  #joined(): Pick<BackendHandlers, KernelMethodName<'joined'>> {
    const { info } = this.#parts;
    return {
      ...this.#ofLetters(),
      'boss.children': (params, call) => this.#children(params, call),
      'machine.get': async (params, call) => this.#at(this.#named(params.name), 'machine.get', params, call),
      'actor.spawn': async (params, call) =>
        this.#at(this.#home(childAddress(params.under, params.id)), 'actor.spawn', params, call, true),
      'actor.send': (params, call) => this.#send(params, call),
      'actor.sendMany': (params, call) => this.#sendMany(params, call),
      'actor.list': (params, call) => this.#list(params, call),
      'actor.tree': (params, call) => this.#tree(params, call),
      'actor.turns': (params, call) => this.#turns(params, call),
      'audit.list': (params, call) => this.#audit(params, call),
      'record.find': (params, call) => this.#found(params, call),
      'run.list': (params, call) => this.#runs(params, call),
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
      'system.info': () => info(),
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

  async #sendMany({ sends }: ParamsOf<'actor.sendMany'>, call: Call): Promise<unknown> {
    const refused: SendRefusal[] = [];
    const parts = new Map<number, { readonly sends: typeof sends; readonly indexes: number[] }>();
    sends.forEach((send, index) => {
      try {
        const home = this.#home(send.address);
        const part = parts.get(home) ?? { sends: [], indexes: [] };
        parts.set(home, part);
        part.sends.push(send);
        part.indexes.push(index);
      } catch (error) {
        refused.push(refusalOf(error, index));
      }
    });
    const isRepeatable = call.key !== undefined;
    const sent = [...parts].map(([worker, { sends: part, indexes }]) => ({
      indexes,
      answer: this.#at(worker, 'actor.sendMany', { sends: part }, call, isRepeatable),
    }));
    const refusals = sent.map(({ answer, indexes }) => refusalsOf(answer, indexes));
    throwRefused(sends.length, [...refused, ...(await Promise.all(refusals)).flat()]);
    const answers = await Promise.all(sent.map(({ answer }) => answer));
    const isReplayed = answers.length > 0 && answers.every((one) => one instanceof Marked && one.replayed);
    return new Marked({ result: {}, replayed: isReplayed });
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

  async #found(params: ParamsOf<'record.find'>, call: Call): Promise<FoundRecords> {
    const { records, next } = mergedFound(
      (await this.#each(this.#all, 'record.find', params, call)) as FoundRecords[],
      params,
    );
    const fitting = new FittingRecords<FoundRecord>();
    const isAll = fitting.add(records);
    return { records: fitting.records, next: isAll ? next : fitting.records.at(-1)!.cursor };
  }

  async #runs(params: ParamsOf<'run.list'>, call: Call): Promise<RunPageView> {
    const pages = (await this.#each(this.#all, 'run.list', params, call)) as RunPageView[];
    const { runs, next } = mergedRuns(pages as RunPage[], params) as RunPageView;
    const fitting = new FittingRecords<RunView>();
    const isAll = fitting.add(runs);
    return { runs: fitting.records, next: isAll ? next : fitting.records.at(-1)!.cursor };
  }

  async #list(params: ParamsOf<'actor.list'>, call: Call): Promise<ActorPage> {
    const homes = this.#parts.gateways.homesOf(checkAddress(params.under));
    return joinedList((await this.#each(homes, 'actor.list', params, call)) as ActorPage[], params.limit);
  }

  async #tree(params: ParamsOf<'actor.tree'>, call: Call): Promise<PagedTree> {
    const homes = this.#parts.gateways.homesOf(checkAddress(params.address));
    // The share of one worker: all of them together return as many as requested.
    const limit = Math.ceil(params.limit / homes.length);
    const refusals: unknown[] = [];
    const found = await Promise.all(
      homes.map((worker) =>
        this.#at(worker, 'actor.tree', { ...params, limit }, call).catch((error: unknown) => {
          if (!isBosunError(error, 'BOSUN_FORBIDDEN')) throw error;
          refusals.push(error);
        }),
      ),
    );
    const trees = found.filter((tree) => tree !== undefined) as PagedTree[];
    // The actors that the caller may reach may be on another worker.
    if (trees.length === 0) throw refusals[0];
    return joinedTree(trees, this.#parts.join);
  }

  /** Rows of all workers by shown number, the lowest first. */
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
    { caller, session, key, leftMs, looks }: Call,
    isRepeatable = METHODS[method].does === 'nothing',
  ): Promise<unknown> {
    const asked: WorkerRequest = { caller, session, key, leftMs };
    const { result, replayed, looked }: WorkerResponse = await callWorker(
      this.#parts.gateways,
      worker,
      'call',
      [method, params, asked],
      { isRepeatable },
    );
    looks.charge(looked);
    return replayed === undefined ? result : new Marked({ result, replayed });
  }

  /** Adds a timeout in case the worker is down; otherwise these calls keep their own deadline. */
  #within(call: Call, answer: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const late = () =>
        reject(
          new BosunError('BOSUN_TIMEOUT', `no answer within ${call.leftMs} ms; the call may still take effect`, {
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

  /** The worker of an actor. For the name of an agent, which all workers know, any worker. */
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

interface Child {
  readonly address: string;
  readonly restarts: number;
  readonly status: string;
}

/**
 * Lists a child with partitions once: with the sum of restarts, and a status other than `running` if any partition has
 * one.
 */
function asOne(children: readonly Child[]): Child[] {
  const found = new Map<string, Child>();
  for (const child of children) {
    const other = found.get(child.address);
    const shown = other !== undefined && child.status === 'running' ? other : child;
    found.set(child.address, { ...shown, restarts: child.restarts + (other?.restarts ?? 0) });
  }
  return [...found.values()];
}
