/**
 * Procedures of the host as methods of the gateway: a row of each, and the handler that carries it out by the methods
 * of the backend, so that it is the same before one system and before several workers.
 */
import {
  type ActorRow,
  type AskedActor,
  type AwaitedState,
  type DurableReader,
  type Procedure,
  type Procedures,
  type Way,
} from '../../actors/api/procedure.ts';
import { admit } from '../../actors/model/value-check.ts';
import { BosunError } from '../../errors.ts';
import { type TablePage } from '../../table.ts';
import { disown } from '../../user-code.ts';
import { ACTORS_PAGE_MAX, TABLE_ROWS_SHOWN } from '../limits.ts';
import { type ActorView } from '../protocol/actor-view.ts';
import { type FoundRecords, type RecordPage } from '../protocol/record-view.ts';
import { RECORDS_LISTED } from '../../limits.ts';
import { type FrontParts } from './call-parts.ts';
import { type Call, type Handler, Marked } from './call.ts';
import { answerInJson, awaited, checkedByHost, hostFailed, owed, owedOrRefused } from './host-code.ts';
import { type MethodRow } from './method-row.ts';
import { type BackendHandlers, type ParamsOf } from './methods.ts';
import { firstIssue } from '../callers/wire-errors.ts';

/** Matches names of two words or more, which distinguishes them from paths and gives each host its own prefix. */
const NAME = /^[a-z][a-zA-Z0-9]*(\.[a-z][a-zA-Z0-9]*)+$/;

/** How the method behind each kind of procedure treats keys, deadlines and costs. */
const WAYS: Readonly<Record<Procedure['way']['kind'], Pick<MethodRow, 'keepsKeys' | 'keepsTime' | 'looks'>>> = {
  read: { looks: true },
  ask: { keepsKeys: true, keepsTime: true },
  wait: { keepsTime: true },
  port: {},
};

/**
 * The table rows of procedures.
 *
 * @throws BOSUN_CONFIG_INVALID for an invalid name.
 */
export function rowsOf(procedures: Procedures): [name: string, row: MethodRow][] {
  return Object.entries(procedures).map(([name, { http, ...row }]) => {
    if (!NAME.test(name))
      throw new BosunError(
        'BOSUN_CONFIG_INVALID',
        `the procedure ${JSON.stringify(name)} needs a name of two words, such as shop.stock`,
      );
    return [
      name,
      { ...row, ...WAYS[row.way.kind], isOfHost: true, http: http ?? { verb: 'POST', path: `/v1/procedures/${name}` } },
    ];
  });
}

/** The parts in front of a backend that carry out procedures. */
export interface Carriers extends Pick<FrontParts, 'nowMs'> {
  readonly backend: BackendHandlers;
}

export function procedureHandler(
  name: string,
  { way, result, window }: Pick<MethodRow, 'result' | 'window'> & { readonly way: Way },
  carriers: Carriers,
): Handler {
  const { backend } = carriers;
  const place = `the procedure ${name}`;
  const checked = (answer: unknown) => {
    const parsed = checkedByHost(`the result schema of ${place}`, result, answer);
    if (parsed.success) return answerInJson(`the answer of ${place}`, parsed.data);
    throw hostFailed(
      place,
      new Error(`it answered something else than its schema says: ${firstIssue(parsed.error, 'r')}`),
    );
  };
  switch (way.kind) {
    case 'read':
      return async (params, call) =>
        checked(await awaited(place, () => way.run(params, readerFor(call, carriers, window), call.caller)));
    case 'port':
      return async (params, { caller }) => checked(await awaited(place, () => way.run(params, caller)));
    case 'ask':
      return async (params, call) => {
        const question = owedOrRefused(place, () => way.run(params, call.caller));
        const { answer, ...asked } = owed(place, () => questionIn(question));
        const given = await backend['actor.ask'](asked, call);
        const { result: told, replayed } = given instanceof Marked ? given : { result: given, replayed: false };
        const { reply } = told as { readonly reply: unknown };
        const said = answer === undefined ? reply : await awaited(place, () => answer(reply));
        return new Marked({ result: checked(said), replayed });
      };
    case 'wait':
      return async (params, call) => {
        const wanted = owedOrRefused(place, () => way.run(params, call.caller));
        const { answer, ...state } = owed(place, () => stateIn(wanted));
        const view = (await backend['actor.wait'](state, call)) as ActorView;
        return checked(owedOrRefused(place, () => answer(view)));
      };
  }
}

type Question = ParamsOf<'actor.ask'> & Pick<AskedActor<unknown>, 'answer'>;

/** The question of a procedure as the wire would have brought it. Throws anything for what is none. */
function questionIn(given: AskedActor<unknown>): Question {
  disown(given);
  const { address, event, answer } = given;
  if (answer !== undefined && typeof answer !== 'function') throw new TypeError('its answer is no function');
  return { address: textOf(address), event: admit(event, 'event') as Question['event'], ...(answer && { answer }) };
}

function stateIn(wanted: AwaitedState<unknown>): AwaitedState<unknown> {
  disown(wanted);
  return { ...wanted, address: textOf(wanted.address) };
}

function textOf(address: unknown): string {
  if (typeof address === 'string') return address;
  throw new TypeError('it names no address');
}

/**
 * Makes a reader that uses the backend's methods with the rights and the budget of the caller. For a window rows of
 * tables count too, since its filter decides how many are read.
 */
function readerFor(call: Call, carriers: Carriers, window: MethodRow['window']): DurableReader {
  const { backend } = carriers;
  return {
    get nowMs() {
      return carriers.nowMs();
    },
    actor: async (address) => (await backend['actor.get']({ address }, call)) as ActorView,
    async *actors({ under = 'root', agent } = {}) {
      for (let after: string | undefined; ; ) {
        const page = { under, agent, after, limit: ACTORS_PAGE_MAX };
        const { actors, next } = (await backend['actor.list'](page, call)) as {
          readonly actors: readonly ActorRow[];
          readonly next: string | null;
        };
        yield* actors;
        if (next === null) return;
        after = next;
      }
    },
    async table(address, table, { limit = TABLE_ROWS_SHOWN, reverse = false, ...given } = {}) {
      const page = (await backend['table.read']({ address, table, limit, reverse, ...given }, call)) as TablePage;
      if (window !== undefined) call.looks.charge(Object.keys(page.rows).length);
      return page;
    },
    records: async (address, name, which = {}) =>
      (await backend['record.list'](
        { address, name, after: 0, limit: RECORDS_LISTED, newestFirst: false, where: {}, ...defined(which) },
        call,
      )) as RecordPage,
    findRecords: async (agent, name, [key, value], which = {}) =>
      (await backend['record.find'](
        { agent, name, key, value, limit: RECORDS_LISTED, newestFirst: false, ...defined(which) },
        call,
      )) as FoundRecords,
  };
}

/** Leaves out the fields that are undefined, so that their defaults apply. */
function defined<Fields extends object>(fields: Fields): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
