/**
 * `bosun records`: the records of an actor of a running system or a stopped store, or, by a key, of all actors of an
 * agent; oldest first. In a running system new ones can be followed. A stopped store also shows records that exceed the
 * age or number declared by their agent.
 */
import { plainLine } from '../../plain-text.ts';
import {
  type FindRecordsOptions,
  type FoundRecord,
  type FoundRecords,
  type RecordKey,
  type RecordPage,
  type RecordsOptions,
  type RecordView,
} from '../../actors/api/record-pages.ts';
import { RECORDS_LISTED, RECORDS_READ_MAX } from '../../limits.ts';
import { withData } from '../reach/data-work.ts';
import { type ExitCode, writeError } from '../exit-codes.ts';
import { follow } from '../reach/following.ts';
import { jsonLine } from '../json-lines.ts';
import { timeText } from '../store/stopped-store.ts';
import { type DataCommand } from '../surroundings.ts';

type Fields = NonNullable<RecordsOptions['where']>;

export interface RecordsCommand extends DataCommand {
  readonly address: string;
  readonly name: string;
  /** Number of newest records; default RECORDS_LISTED, or all after `after`. */
  readonly last: number | undefined;
  readonly after: number | undefined;
  readonly where: Fields;
  /** Follows new records until aborted; undefined to print only those that exist. */
  readonly follow: AbortSignal | undefined;
}

/** Prints an actor's records. Resolves to exit code 130 when interrupted. */
export function recordsCommand(command: RecordsCommand): Promise<ExitCode> {
  const { address, name, where, follow: interrupt } = command;
  return withData(command, {
    async live(gateway) {
      const text = Object.keys(where).length === 0 ? undefined : JSON.stringify(where);
      const { life, last } = await printed(command, (which) =>
        gateway.call<RecordPage>('record.list', { address, name, ...which, where: text }),
      );
      if (interrupt === undefined) return undefined;
      const told = ({ e }: { readonly e: unknown }) => {
        const record = e as RecordView;
        if (matches(record.value, where)) print(command, record);
      };
      const topic = `records/${address}/${name}`;
      return follow(command, gateway, {
        topic,
        from: `${last}:${life}`,
        interrupt,
        told,
        lost: 'are no longer kept',
      });
    },
    ...(interrupt === undefined && {
      stopped: async (system) => {
        await printed(command, (which) => system.records.list(address, name, { ...which, where }));
      },
    }),
  });
}

export interface FindRecordsCommand extends DataCommand {
  readonly agent: string;
  readonly name: string;
  readonly key: RecordKey;
  /** Number of newest records; default RECORDS_LISTED. */
  readonly last: number | undefined;
}

export function findRecordsCommand(command: FindRecordsCommand): Promise<ExitCode> {
  const { agent, name, key, last = RECORDS_LISTED } = command;
  const show = async (find: (which: FindRecordsOptions) => Promise<FoundRecords>) => {
    const found: FoundRecord[] = [];
    let from: string | null | undefined;
    while (found.length < last && from !== null) {
      const limit = Math.min(last - found.length, RECORDS_READ_MAX);
      const { records, next }: FoundRecords = await find({ newestFirst: true, limit, from });
      found.push(...records);
      from = next;
    }
    for (const record of found.reverse()) print(command, record);
    if (found.length === 0) sayNone(command);
  };
  return withData(command, {
    live: (gateway) =>
      show((which) => gateway.call<FoundRecords>('record.find', { agent, name, key: key[0], value: key[1], ...which })),
    stopped: (system) => show((which) => system.records.find(agent, name, key, which)),
  });
}

/**
 * Prints records.
 *
 * @returns The life of the actor, and the number of the last record read.
 */
async function printed(
  command: RecordsCommand,
  list: (which: RecordsOptions) => Promise<RecordPage>,
): Promise<Pick<RecordPage, 'life' | 'last'>> {
  const { after, last } = command;
  const isNewest = last !== undefined || after === undefined;
  const wanted = isNewest ? (last ?? RECORDS_LISTED) : Infinity;
  const newest: RecordView[] = [];
  let [count, missing] = [0, 0];
  let place: RecordsOptions = { after: after ?? 0 };
  let page: RecordPage;
  let first: RecordPage | undefined;
  do {
    const limit = Math.min(RECORDS_READ_MAX, Math.max(1, wanted - count));
    page = await list({ ...place, limit, newestFirst: isNewest });
    first ??= page;
    if (isNewest) newest.push(...page.records);
    else for (const record of page.records) print(command, record);
    count += page.records.length;
    missing += page.missing;
    if (page.next !== null) place = { ...place, [isNewest ? 'before' : 'after']: page.next };
  } while (page.next !== null && count < wanted);
  for (const record of newest.slice(0, wanted).reverse()) print(command, record);
  if (missing > 0) {
    const message = `${missing} cannot be read because the store is damaged; bosun verify shows where`;
    writeError(command, 'BOSUN_STORE_DAMAGED', message);
  }
  if (count === 0 && command.follow === undefined) sayNone(command);
  return isNewest ? first : page;
}

function print({ json, out }: DataCommand, record: RecordView | FoundRecord): void {
  const { number, atMs, value } = record;
  const whose = 'address' in record ? `${record.address}  ` : '';
  out.write(json ? jsonLine(record) : `${plainLine(`${timeText(atMs)}  ${whose}${number}  ${jsonLine(value)}`)}\n`);
}

function sayNone({ json, err }: DataCommand): void {
  if (!json) err.write('no records\n');
}

function matches(value: unknown, where: Fields): boolean {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  return Object.entries(where).every(([field, want]) => fields[field] === want);
}
