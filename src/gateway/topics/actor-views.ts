/**
 * What clients are shown: durable reads, as JSON can say them, without secrets and without what the caller may not
 * reach.
 */
import { type EventObject } from 'xstate';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { type DeadLetter } from '../../actors/world/mailbox/dead-letter.ts';
import { SECRET_SHOWN } from '../../actors/model/secret.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { type System } from '../../system.ts';
import { type Caller, mayReach } from '../client/callers.ts';
import { type Cursor } from '../protocol/protocol.ts';
import {
  type ActorView,
  type AuditView,
  type DeadLetterView,
  type ShownEvent,
  type TreeBranch,
  type WaitView,
} from '../protocol/views.ts';
import { treeView } from './tree-views.ts';
import { isTable } from '../../table.ts';
import { type TablePage } from './table-views.ts';
import { shown, shownError, shownTable } from './wire-values.ts';

const BOSS = 'bosun.boss';

export class ActorViews {
  readonly #system: System;

  constructor(system: System) {
    this.#system = system;
  }

  /** Throws BOSUN_ACTOR_UNKNOWN. */
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
    // A Boss's context is its child specs, whose inputs have no schemas; the tree shows what there is to know.
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
   * Rows of a table of an actor's context. Throws BOSUN_ACTOR_UNKNOWN, and BOSUN_TABLE_UNKNOWN where there is no such
   * table.
   */
  table(address: string, key: string, page: TablePage): unknown {
    const { agent, context } = this.#system.actor(address).snapshot();
    const held = isRecord(context) && Object.hasOwn(context, key) ? context[key] : undefined;
    if (agent === BOSS || !isTable(held))
      throw new BosunError('BOSUN_TABLE_UNKNOWN', `the context of ${address} has no table ${JSON.stringify(key)}`, {
        details: { address },
      });
    const known = this.#agentOrUndefined(address);
    if (known === undefined && this.#mayHoldSecrets(address, known)) return SECRET_SHOWN;
    return shownTable(held, known?.shown.context, key, page);
  }

  /** Names what {@link actor} shows. Throws BOSUN_ACTOR_UNKNOWN. */
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

  /** An event that an actor takes. To a Boss: of its orders, whose inputs have no schemas, only whom they are about. */
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

  reply(address: string, value: unknown): unknown {
    return shown(value, this.#agentOrUndefined(address)?.shown.reply) ?? null;
  }

  /** Throws BOSUN_ACTOR_UNKNOWN, and as {@link treeView}. */
  tree(caller: Caller, address: string, depth: number): TreeBranch {
    return treeView(caller, this.#system.tree(address), depth);
  }

  /** Oldest first. */
  letters(caller: Caller, only: Parameters<System['deadLetters']['list']>[0] = {}): DeadLetterView[] {
    return this.#system.deadLetters
      .list(only)
      .filter(({ address }) => mayReach(caller, address))
      .map((letter) => this.#letter(letter));
  }

  /** Newest first. What was ordered of somebody who is gone without a trace is for those who may reach everybody. */
  audit(caller: Caller, address: string | undefined): AuditView[] {
    const records = this.#system.admin.audit(address === undefined ? {} : { address });
    const mayReachAll = caller.addresses.includes('**');
    return records
      .filter((record) => (record.address === '' ? mayReachAll : mayReach(caller, record.address)))
      .map((record) =>
        record.arguments !== null && this.#mayHoldSecrets(record.address, this.#agentOrUndefined(record.address))
          ? { ...record, arguments: SECRET_SHOWN }
          : record,
      );
  }

  /** The longest waiting first. Of a host that waits, those whom it waits for tell who may see it. */
  waits(caller: Caller): WaitView[] {
    return this.#system.admin
      .waiting()
      .filter(({ address, for: whom }) => mayReach(caller, address ?? whom ?? ''))
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

  /**
   * Without a schema nobody knows: then what belongs to an agent with secrets is taken to be one, and so is what
   * belongs to one that is gone.
   */
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
