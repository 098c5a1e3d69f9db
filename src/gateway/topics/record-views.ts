/**
 * Records as clients see them: without secrets, in pages limited by number and by size. Searching by a hidden value is
 * refused.
 */
import {
  type FindRecordsOptions,
  type FoundRecord,
  type FoundRecords,
  type RecordKey,
  type RecordPage,
  type RecordsOptions,
} from '../../actors/api/record-pages.ts';
import { EVENTS_PER_TURN, RECORD_CHARS_SHOWN } from '../limits.ts';
import { type Shard } from '../../shard.ts';
import { type Looks, UNCOUNTED } from '../callers/looks.ts';
import { invalid } from '../callers/wire-errors.ts';
import { type ActorViews } from './actor-views.ts';

/** Records read at a time for a page: the largest are 8 MiB together. */
const ASKED_AT_ONCE = 32;

/** The position of a record after which a page continues. */
type Place<Page extends RecordPage | FoundRecords> = NonNullable<Page['next']>;

export class RecordViews {
  readonly #system: Shard;
  readonly #views: ActorViews;
  /** Pages being read for followers. */
  readonly #underWay = new Map<string, Promise<RecordPage>>();

  constructor(system: Shard, views: ActorViews) {
    this.#system = system;
    this.#views = views;
  }

  /** Lists records like RecordBox.list. Also rejects with BOSUN_CALL_INVALID for a condition on a secret field. */
  async list(
    address: string,
    name: string,
    { limit, ...options }: RecordsOptions & { readonly limit: number },
    looks: Pick<Looks, 'charge'> = UNCOUNTED,
  ): Promise<RecordPage> {
    const { newestFirst = false, where = {} } = options;
    const hidden = Object.keys(where).find((field) => this.#views.isHidden(address, name, field));
    if (hidden !== undefined) throw invalid(`p.where: ${JSON.stringify(hidden)} is secret`);
    let missing = 0;
    const read = async (count: number, from: number | undefined): Promise<RecordPage> => {
      const place = from === undefined ? {} : { [newestFirst ? 'before' : 'after']: from };
      const asked = { ...options, ...place, limit: count };
      const page = await this.#system.records.list(address, name, asked);
      looks.charge(lookedAt(page, asked));
      missing += page.missing;
      const records = page.records.map((one) => ({ ...one, value: this.#views.recorded(address, name, one.value) }));
      return { ...page, records };
    };
    return { ...(await wholePage(limit, read, ({ number }) => number)), missing };
  }

  /**
   * Records after a number, as many as are sent together. Subscribers at the same number share one read and its text.
   * Rejects as `list` does.
   */
  behind(address: string, name: string, number: number): Promise<RecordPage> {
    const key = `${address} ${name} ${number}`;
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const page = this.list(address, name, { after: number, limit: EVENTS_PER_TURN });
    this.#underWay.set(key, page);
    const over = () => void this.#underWay.delete(key);
    page.then(over, over);
    return page;
  }

  /** Finds records like RecordBox.find. Also rejects with BOSUN_CALL_INVALID if no field of such records is shown. */
  async find(
    agent: string,
    name: string,
    key: RecordKey,
    { limit, ...options }: FindRecordsOptions & { readonly limit: number },
    looks: Pick<Looks, 'charge'> = UNCOUNTED,
  ): Promise<FoundRecords> {
    const declared = this.#system.clientApi.agent(agent);
    const policy = declared?.policies.records?.get(name);
    if (policy?.schema === undefined && policy !== undefined && declared?.policies.isSecret === true)
      throw invalid(`p.key: ${JSON.stringify(name)} has no schema, and its agent has secrets`);
    const read = async (count: number, from: string | undefined = options.from): Promise<FoundRecords> => {
      const { records, next } = await this.#system.records.find(agent, name, key, { ...options, from, limit: count });
      looks.charge(records.length);
      const shown = (one: FoundRecord) => ({ ...one, value: this.#views.recorded(one.address, name, one.value) });
      return { records: records.map(shown), next };
    };
    return await wholePage(limit, read, ({ cursor }) => cursor);
  }
}

/** The number of records that were read for a page, from where it begins to where the next one does. */
function lookedAt({ first, last, next }: RecordPage, { after = 0, before = Infinity, newestFirst }: RecordsOptions) {
  const [low, high] = [Math.max(first, after + 1), Math.min(last + 1, before)];
  return Math.max(0, newestFirst === true ? high - (next ?? low) : (next === null ? high : next + 1) - low);
}

/** The records of one answer: as many as fit, and at least one. */
export class FittingRecords<Row> {
  readonly records: Row[] = [];
  #chars = 0;

  /**
   * Adds records while they fit.
   *
   * @returns Whether all of them fit.
   */
  add(records: readonly Row[]): boolean {
    return records.every((record) => {
      this.#chars += JSON.stringify(record).length;
      const fits = this.records.length === 0 || this.#chars <= RECORD_CHARS_SHOWN;
      if (fits) this.records.push(record);
      return fits;
    });
  }
}

/** Reads until the page has as many records as wanted, is full, or one reading's limit is reached. */
async function wholePage<Page extends RecordPage | FoundRecords>(
  limit: number,
  read: (count: number, from: Place<Page> | undefined) => Promise<Page>,
  placeOf: (record: Page['records'][number]) => Place<Page>,
): Promise<Page> {
  const fitting = new FittingRecords<Page['records'][number]>();
  const { records } = fitting;
  let from: Place<Page> | undefined;
  for (;;) {
    const count = Math.min(limit - records.length, ASKED_AT_ONCE);
    const page = await read(count, from);
    if (!fitting.add(page.records)) return { ...page, records, next: placeOf(records.at(-1)!) };
    if (page.next === null || page.records.length < count || records.length === limit) return { ...page, records };
    from = page.next;
  }
}
