/**
 * Views for clients: durable reads as JSON, without secrets and without data of actors that the caller may not reach.
 */
import { type EventObject } from 'xstate';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { type DeadLetter } from '../../actors/world/mailbox/dead-letter.ts';
import { isSecretField, SECRET_SHOWN } from '../../actors/model/secret.ts';
import { isBosunError } from '../../errors.ts';
import { type Shard } from '../../shard.ts';
import { spansOf } from '../callers/address-patterns.ts';
import { type Caller, mayReach } from '../callers/callers.ts';
import { type Looks } from '../callers/looks.ts';
import { type Cursor } from '../protocol/protocol.ts';
import {
  type ActorView,
  type AuditView,
  type ListedActor,
  type PagedTree,
  type DeadLetterView,
  type ShownEvent,
  type WaitView,
} from '../protocol/views.ts';
import {
  type ActorPage,
  type ListQuery,
  ListPage,
  type PageCall,
  paged,
  TreePage,
  type TreeQuery,
  WaitPage,
} from './actor-pages.ts';
import { tableIn } from '../../table.ts';
import { type AskedPage } from './table-views.ts';
import { shown, shownError, shownTable } from './wire-values.ts';

type Listed = NonNullable<Parameters<Shard['listed']>[1]>;

type LetterQuery = Parameters<Shard['deadLetters']['list']>[0] & {
  readonly after?: number;
  readonly limit?: number;
};

const BOSS = 'bosun.boss';

/** Audit records that are read at a time for a caller who may see some of them. */
const AUDIT_READ_AT_ONCE = 1_000;

export class ActorViews {
  readonly #system: Shard;

  constructor(system: Shard) {
    this.#system = system;
  }

  /** The view of an actor. Throws BOSUN_ACTOR_UNKNOWN. */
  actor(address: string): ActorView {
    const { clientApi } = this.#system;
    const snapshot = this.#system.actor(address).snapshot();
    const agent = clientApi.agentAt(address);
    const { status, value, tags, sequence } = snapshot;
    const said = {
      address,
      agent: snapshot.agent,
      status,
      value,
      tags,
      sequence,
      error: shownError(snapshot.error),
      accepts: clientApi.accepts(address),
    };
    // A Boss's context is its child specs, whose inputs have no schemas; the tree shows the rest.
    if (snapshot.agent === BOSS) return { ...said, context: null, output: null };
    if (agent === undefined && marksSecrets(clientApi.ownerAt(address)))
      return { ...said, context: SECRET_SHOWN, output: SECRET_SHOWN };
    return {
      ...said,
      context: shown(snapshot.context, agent?.shown.context) ?? null,
      output: shown(snapshot.output, agent?.shown.output) ?? null,
    };
  }

  /**
   * Rows of a table of an actor's context. Throws BOSUN_ACTOR_UNKNOWN, and BOSUN_TABLE_UNKNOWN if there is no such
   * table.
   */
  table(address: string, key: string, page: AskedPage): unknown {
    const { agent, context } = this.#system.actor(address).snapshot();
    const held = tableIn(agent === BOSS ? null : context, key, address);
    const known = this.#agentOrUndefined(address);
    if (known === undefined && this.#mayHoldSecrets(address, known)) return SECRET_SHOWN;
    return shownTable(held, known?.shown.context, key, page);
  }

  /** The version of the state that {@link actor} shows. Throws BOSUN_ACTOR_UNKNOWN. */
  cursor(address: string): Cursor {
    const { life, seq, hash, isSuspended } = this.#system.clientApi.version(address);
    return { epoch: `${life}.${hash.toString(16)}${isSuspended ? '.s' : ''}`, seq };
  }

  /** An event that an actor emitted. */
  emitted(address: string, event: EventObject): Readonly<Record<string, unknown>> {
    const agent = this.#agentOrUndefined(address);
    const schema = agent?.shown.emitted?.[event.type] ?? agent?.events[event.type];
    if (schema === undefined && this.#mayHoldSecrets(address, agent)) return { type: event.type, fields: SECRET_SHOWN };
    return shown(event, schema) as Readonly<Record<string, unknown>>;
  }

  /**
   * An event that an actor takes. Of an order to a Boss, only type and child id are shown, since its inputs have no
   * schemas.
   */
  taken(address: string, event: EventObject, name?: string): ShownEvent {
    if (name === BOSS || (name === undefined && this.#isBoss(address))) {
      const { type, id } = event as { type: string; id?: unknown };
      return { type, ...(typeof id === 'string' && { id }) };
    }
    const agent = this.#agentOrUndefined(address);
    const schema = agent?.events[event.type];
    return schema === undefined && this.#mayHoldSecrets(address, agent)
      ? { type: event.type, fields: SECRET_SHOWN }
      : (shown(event, schema) as ShownEvent);
  }

  /** A context of an actor or a part of it, or an output. `name` is that of its agent. */
  part(address: string, name: string, what: 'context' | 'output', value: unknown): unknown {
    if (name === BOSS) return null;
    const agent = this.#agentOrUndefined(address);
    if (agent === undefined && this.#mayHoldSecrets(address, agent)) return SECRET_SHOWN;
    return shown(value, agent?.shown[what]) ?? null;
  }

  /** The output of an ended actor of an agent. */
  outputOf(name: string, output: unknown): unknown {
    const { clientApi } = this.#system;
    const agent = clientApi.agent(name);
    if (agent === undefined && clientApi.agents().some(marksSecrets)) return SECRET_SHOWN;
    return shown(output, agent?.shown.output) ?? null;
  }

  reply(address: string, value: unknown): unknown {
    return shown(value, this.#agentOrUndefined(address)?.shown.reply) ?? null;
  }

  /** A value that an actor has recorded under a name. */
  recorded(address: string, name: string, value: unknown): unknown {
    const agent = this.#agentOrUndefined(address);
    const schema = agent?.policies.records?.get(name)?.schema;
    if (schema === undefined && this.#mayHoldSecrets(address, agent)) return SECRET_SHOWN;
    return shown(value, schema) ?? null;
  }

  /** Whether a field of records under a name is hidden from clients. */
  isHidden(address: string, name: string, field: string): boolean {
    const agent = this.#agentOrUndefined(address);
    const schema = agent?.policies.records?.get(name)?.schema;
    return schema === undefined ? this.#mayHoldSecrets(address, agent) : isSecretField(schema, field);
  }

  /** A page of the actors below an address, as a list. Rejects with BOSUN_ACTOR_UNKNOWN. */
  list(asked: PageCall, under: string, query: ListQuery): Promise<ActorPage> {
    const { caller } = asked.call;
    const { after, agent } = query;
    return paged(asked, this.#listed(caller, under, { after, agent }), new ListPage(caller, query));
  }

  /** A page of the tree below an address. Rejects with BOSUN_ACTOR_UNKNOWN, BOSUN_FORBIDDEN. */
  treePage(asked: PageCall, address: string, query: TreeQuery): Promise<PagedTree> {
    const { caller } = asked.call;
    const { after, depth } = query;
    const which = { after, ...(depth === 0 && { spans: [] }) };
    return paged(asked, this.#listed(caller, address, which), new TreePage(caller, address, query));
  }

  /** The children of a Boss. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_CHILDREN_UNREAD. */
  children(caller: Caller, address: string, looks: Pick<Looks, 'charge'>) {
    const children = this.#lookedUp(caller, address, () => this.#system.boss(address).whichChildren()) ?? [];
    looks.charge(children.length);
    return children
      .filter((child) => mayReach(caller, child.address))
      .map((child) => ({ ...child, lastError: shownError(child.lastError) }));
  }

  #listed(caller: Caller, address: string, which: Listed): Iterable<ListedActor | undefined> {
    const part = { spans: spansOf(caller.addresses), ...which };
    return this.#lookedUp(caller, address, () => this.#system.listed(address, part)) ?? [];
  }

  #lookedUp<Found>(caller: Caller, address: string, look: () => Found): Found | undefined {
    try {
      return look();
    } catch (error) {
      // That it is unknown would reveal which other addresses exist.
      if (mayReach(caller, address) || !isBosunError(error, 'BOSUN_ACTOR_UNKNOWN')) throw error;
      return undefined;
    }
  }

  /** Dead letters above a number, oldest first; only those shown are converted. */
  letters(
    caller: Caller,
    { after = 0, limit = Infinity, ...only }: LetterQuery,
    looks: Pick<Looks, 'charge'>,
  ): DeadLetterView[] {
    const kept = this.#system.deadLetters.list(only);
    looks.charge(kept.length);
    const letters = kept.filter(({ address, number }) => number > after && mayReach(caller, address)).slice(0, limit);
    return letters.map((letter) => this.#letter(letter));
  }

  /**
   * Audit records below a number, newest first. Orders about actors that are gone without a trace are shown only to
   * callers who may reach every address. Rejects with BOSUN_STORE_FAILED.
   */
  async audit(
    caller: Caller,
    {
      address,
      before,
      limit,
    }: { readonly address: string | undefined; readonly before: number; readonly limit: number },
    looks: Pick<Looks, 'charge'>,
  ): Promise<AuditView[]> {
    const mayReachAll = caller.addresses.includes('**');
    const maySee = (record: AuditView) => (record.address === '' ? mayReachAll : mayReach(caller, record.address));
    const asked = mayReachAll || address !== undefined ? limit : Math.max(limit, AUDIT_READ_AT_ONCE);
    const records: AuditView[] = [];
    for (let from = before; records.length < limit; ) {
      const page = await this.#system.admin.audit({ address, before: from, limit: asked });
      looks.charge(page.length);
      records.push(...page.filter(maySee));
      if (page.length < asked) break;
      from = page.at(-1)!.number;
    }
    return records
      .slice(0, limit)
      .map((record) =>
        record.arguments !== null && this.#mayHoldSecrets(record.address, this.#agentOrUndefined(record.address))
          ? { ...record, arguments: SECRET_SHOWN }
          : record,
      );
  }

  /** Waits, the longest first. For a wait of the host, the actors waited for decide who may see it. */
  async waits(asked: PageCall, limit: number): Promise<WaitView[]> {
    const { caller } = asked.call;
    const waits = await paged(asked, this.#system.clientApi.waits(), new WaitPage());
    return waits
      .filter(({ address, for: whom }) => mayReach(caller, address ?? whom ?? ''))
      .slice(0, limit)
      .map((wait) =>
        wait.kind === 'suspended' || wait.for === null || mayReach(caller, wait.for) ? wait : { ...wait, for: null },
      );
  }

  #letter(letter: DeadLetter): DeadLetterView {
    const { address, event, action } = letter;
    const agent = this.#agentOrUndefined(address);
    const schema = agent?.events[event.type];
    const isHidden = schema === undefined && this.#mayHoldSecrets(address, agent);
    return {
      ...letter,
      error: shownError(letter.error),
      event: this.taken(address, event),
      action:
        action === undefined
          ? null
          : {
              ...action,
              params: isHidden || marksSecrets(agent) ? SECRET_SHOWN : (shown(action.params) ?? null),
            },
    };
  }

  /** Whether a value without a schema may be secret: yes if its agent has secrets, or if the agent is gone. */
  #mayHoldSecrets(address: string, agent: AnyAgent | undefined): boolean {
    if (agent !== undefined) return marksSecrets(agent);
    try {
      return marksSecrets(this.#system.clientApi.ownerAt(address));
    } catch (error) {
      if (!isBosunError(error)) throw error;
      return this.#system.clientApi.agents().some(marksSecrets);
    }
  }

  #isBoss(address: string): boolean {
    return this.#system.snapshot(address)?.agent === BOSS;
  }

  #agentOrUndefined(address: string): AnyAgent | undefined {
    try {
      return this.#system.clientApi.agentAt(address);
    } catch (error) {
      if (isBosunError(error)) return undefined;
      throw error;
    }
  }
}

function marksSecrets(agent: AnyAgent | undefined): boolean {
  return agent?.policies.isSecret === true;
}
