/** Records of actors for clients: by page, by key, and followed by number over breaks. */
import { ANY_EPOCH } from '../gateway/protocol/protocol.ts';
import type {
  FindRecordsOptions,
  FoundRecord,
  FoundRecords,
  RecordKey,
  RecordPage,
  RecordsOptions,
  RecordView,
} from '../gateway/protocol/record-view.ts';
import { RECORDS_WAITING_MAX } from './bounds.ts';
import { type CallOptions } from './client-calls.ts';
import { type EmissionOptions, Emissions } from './emissions.ts';
import { type SubscribedTopics } from './subscribed-topics.ts';

/** A record, with its value typed by the caller. The type is not checked. */
export type RemoteRecord<Value = unknown> = Valued<RecordView, Value>;
/** A record found by a key. */
export type RemoteFoundRecord<Value = unknown> = Valued<FoundRecord, Value>;

type Valued<R, Value> = Omit<R, 'value'> & { readonly value: Value };
type Pages<Page, R> = Omit<Page, 'records'> & { readonly records: readonly R[] };
type Waiting = Omit<CallOptions, 'key'>;

/** The start of a tail of an actor's records, and its end. */
export interface RecordTailOptions extends EmissionOptions {
  /** The last number that was seen. Default: that of the newest record. */
  readonly after?: number;
  /** The life of the actor that the number belongs to, as a page states it. Default: the life of the present actor. */
  readonly life?: number;
}

/** Access of a client to the records of actors. */
export class ClientRecords {
  readonly #topics: SubscribedTopics;
  readonly #call: (method: string, params: Readonly<Record<string, unknown>>, options: Waiting) => Promise<unknown>;

  /** Makes the access to records. Use `client.records`. */
  constructor(
    topics: SubscribedTopics,
    call: (method: string, params: Readonly<Record<string, unknown>>, options: Waiting) => Promise<unknown>,
  ) {
    this.#topics = topics;
    this.#call = call;
  }

  /**
   * Lists records of one name of an actor by page, oldest first by default; a page is shorter if its records are large.
   * Rejects as `client.call` does, and with BOSUN_ACTOR_UNKNOWN, BOSUN_RECORDS_UNKNOWN, BOSUN_FORBIDDEN.
   */
  async list<Value = unknown>(
    address: string,
    name: string,
    which: RecordsOptions = {},
    options: Waiting = {},
  ): Promise<Pages<RecordPage, RemoteRecord<Value>>> {
    const page = await this.#call('record.list', { address, name, ...which }, options);
    return page as Pages<RecordPage, RemoteRecord<Value>>;
  }

  /**
   * Finds records of one name with a given key, of all actors of an agent, in order of time, by page. Only for callers
   * who may reach every address. Rejects as `list`, and with BOSUN_AGENT_UNKNOWN.
   */
  async find<Value = unknown>(
    agent: string,
    name: string,
    [key, value]: RecordKey,
    which: FindRecordsOptions = {},
    options: Waiting = {},
  ): Promise<Pages<FoundRecords, RemoteFoundRecord<Value>>> {
    const page = await this.#call('record.find', { agent, name, key, value, ...which }, options);
    return page as Pages<FoundRecords, RemoteFoundRecord<Value>>;
  }

  /**
   * Follows records of one name of an actor from now on, or after a number, each once and in order, over breaks and
   * restarts of the system. The iteration may be slow: further records are read when they are wanted. `onGap` is called
   * if records are no longer kept, or if another actor lives at the address by now. The iteration throws what ends it:
   * BOSUN_ACTOR_UNKNOWN when the actor has ended, BOSUN_RECORDS_UNKNOWN, BOSUN_FORBIDDEN.
   */
  tail<Value = unknown>(
    address: string,
    name: string,
    { after, life, ...options }: RecordTailOptions = {},
  ): Emissions<RemoteRecord<Value>> {
    const from = after === undefined ? undefined : { epoch: life === undefined ? ANY_EPOCH : String(life), seq: after };
    return new Emissions<RemoteRecord<Value>>(this.#topics, `records/${address}/${name}`, options, {
      from,
      waitingMax: RECORDS_WAITING_MAX,
    });
  }
}
