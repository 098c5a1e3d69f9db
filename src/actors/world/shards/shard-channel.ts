/**
 * Lines between shards: an outbox and an inbox for every other shard, by which what one turn sends across becomes
 * durable with that turn and arrives once, in order. A row leaves when its epoch is durable, and stays until the other
 * shard has said that the epoch in which it took it is. Rows are numbered by the counter of messages; the other side
 * remembers the highest number that it has taken, and asks again where some are missing before what it gets. What a row
 * means is shards.ts's affair.
 */
import { LINE_MESSAGES_MAX } from '../../../limits.ts';
import { rowKey } from '../../model/row-keys.ts';
import { Concealed, KEYSPACE, type RowKey, type Wire } from '../../model/ports.ts';
import { type ShardPlace } from '../../model/placement.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<Surroundings, 'codec' | 'draft' | 'log' | 'next' | 'nextNumber' | 'skip' | 'tracing' | 'wake'>;

/** What crosses: `to` a life or the number of an ask, 0 where only the address, or the group, is known. */
export type ShardMessage = readonly [
  kind:
    | 'event'
    | 'ask'
    | 'order'
    | 'publish'
    | 'reply'
    | 'failure'
    | 'named'
    | 'nameless'
    | 'watch'
    | 'unwatch'
    | 'ended',
  to: number,
  address: string,
  what: unknown,
  from: number,
];

type Numbered = readonly [sequence: number, crossing: ShardMessage];

/** What goes over the wire. `more`: behind this one, please. `taken`: up to this one, for good. */
type Frame =
  | readonly ['rows', after: number, rows: readonly Numbered[]]
  | readonly ['more' | 'taken', sequence: number];

/** Rows of one frame: enough to share its price, few enough to be taken in one slice. */
const FRAME_ROWS_MAX = 500;

/** Below so many the senders that wait go on: waking them one by one would have each wait again after one turn. */
const ROOM = LINE_MESSAGES_MAX / 2;

interface ShardChannel {
  readonly shard: number;
  /** Sent and not known to be taken, by sequence. */
  readonly open: Map<number, ShardMessage>;
  /** Of the epoch in the making. */
  batch: { readonly epoch: number; readonly rows: Numbered[] };
  /** The highest sequence that is durable. */
  durable: number;
  /** The highest sequence that was posted. */
  posted: number;
  /** What cannot be read holds up what is behind it. */
  isBlocked: boolean;
  /** The highest sequence that was taken from there. */
  taken: number;
  /** Something is missing, and was asked for. */
  isAsking: boolean;
}

export class ShardChannels {
  readonly #world: Needs;
  readonly #wire: Wire;
  readonly #arrive: (crossing: ShardMessage) => void;
  readonly #onRoom: (shard: number) => void;
  /** By shard; none to oneself. */
  readonly #lines = new Map<number, ShardChannel>();
  #isOpen = false;
  /** Who waits until what is on its way has been taken: up to which number, and what tells them. */
  readonly #waiting = new Set<{ readonly upTo: number; readonly resolve: () => void }>();

  /** @param parts.arrive Takes in what comes; it must not throw. `onRoom`: a line that was full has room again. */
  constructor(parts: {
    world: Needs;
    place: ShardPlace;
    wire: Wire;
    arrive: (crossing: ShardMessage) => void;
    onRoom: (shard: number) => void;
  }) {
    const { world, place, wire, arrive, onRoom } = parts;
    this.#world = world;
    this.#wire = wire;
    this.#arrive = arrive;
    this.#onRoom = onRoom;
    for (let shard = 0; shard < place.count; shard++) {
      if (shard === place.index) continue;
      this.#lines.set(shard, {
        shard,
        open: new Map(),
        batch: { epoch: 0, rows: [] },
        durable: 0,
        posted: 0,
        isBlocked: false,
        taken: 0,
        isAsking: false,
      });
    }
  }

  /** Takes in the rows that recovery found, in key order. */
  load(rows: Iterable<readonly [key: string, row: unknown]>): void {
    for (const [key, row] of rows) {
      const [direction, shard = '', sequence = ''] = key.split('!');
      const line = this.#lines.get(parseInt(shard, 16));
      if (line === undefined || line.isBlocked) continue;
      if (direction === 'in') line.taken = row as number;
      else if (direction !== 'out') continue;
      else if ((row as ShardMessage)[3] instanceof Concealed) {
        line.isBlocked = true;
        this.#world.log(
          `messages to worker ${line.shard} wait for a start that has the key under which the first of them is ` +
            'encrypted',
        );
      } else {
        line.durable = parseInt(sequence, 16);
        line.open.set(line.durable, row as ShardMessage);
      }
    }
  }

  /** The system runs: takes what comes from now on, and sends again what nobody has confirmed. */
  open(): void {
    this.#isOpen = true;
    this.#wire.listen((from, bytes) => this.#hear(from, bytes));
    for (const line of this.#lines.values()) {
      this.#post(line, ['taken', line.taken]);
      this.#post(line, ['more', line.taken]);
      this.#postOpen(line, 0);
    }
  }

  /** Nothing is posted or taken any more. */
  close(): void {
    this.#isOpen = false;
    this.#tellSettled();
  }

  isFull(shard: number): boolean {
    return this.#line(shard).open.size >= LINE_MESSAGES_MAX;
  }

  /** Resolves when everything that is on its way now has been taken, or nothing is posted any more. */
  settled(): Promise<void> {
    const upTo = this.#world.nextNumber('message');
    return new Promise((resolve) => {
      this.#waiting.add({ upTo, resolve });
      this.#tellSettled();
    });
  }

  /** Enters what crosses into the epoch in the making. All of it has been admitted. */
  add(shard: number, crossing: ShardMessage): void {
    const { draft, tracing } = this.#world;
    const line = this.#line(shard);
    const sequence = this.#world.next('message');
    const [, to, , what] = crossing;
    line.open.set(sequence, crossing);
    // Of another shard's actors nobody here knows which have secrets.
    draft.putOf(to, outKey(shard, sequence), Object.freeze(crossing), (conceal) =>
      crossing.with(3, conceal(what, (what as { type?: string } | undefined)?.type)),
    );
    if (line.batch.epoch !== tracing.epoch) {
      const batch = { epoch: tracing.epoch, rows: [] };
      line.batch = batch;
      draft.output(() => this.#postBatch(line, batch.rows));
    }
    line.batch.rows.push([sequence, crossing]);
    this.#world.wake();
  }

  /** One epoch's rows are durable. */
  #postBatch(line: ShardChannel, rows: readonly Numbered[]): void {
    line.durable = rows.at(-1)![0];
    this.#postRows(line, line.posted, rows);
  }

  /** Posts again what is durable, behind a sequence that the other side has. */
  #postOpen(line: ShardChannel, after: number): void {
    this.#postRows(
      line,
      after,
      [...line.open].filter(([sequence]) => sequence > after && sequence <= line.durable),
    );
  }

  #postRows(line: ShardChannel, after: number, rows: readonly Numbered[]): void {
    if (line.isBlocked) return;
    let last = after;
    for (let at = 0; at < rows.length; at += FRAME_ROWS_MAX) {
      const some = rows.slice(at, at + FRAME_ROWS_MAX);
      this.#post(line, ['rows', last, some]);
      last = some.at(-1)![0];
    }
    line.posted = Math.max(line.posted, last);
  }

  #post({ shard }: ShardChannel, frame: Frame): void {
    if (this.#isOpen) this.#wire.post(shard, this.#world.codec.pack(frame));
  }

  #hear(from: number, bytes: Uint8Array): void {
    const line = this.#lines.get(from);
    if (!this.#isOpen || line === undefined) return;
    const frame = this.#world.codec.unpack(bytes) as Frame;
    if (frame[0] === 'rows') this.#take(line, frame[1], frame[2]);
    else {
      // After a store was set back (durability below `disk`) its numbers must not come twice.
      this.#world.skip('message', frame[1] + 1);
      if (frame[0] === 'more') this.#postOpen(line, frame[1]);
      else this.#confirm(line, frame[1]);
    }
  }

  #take(line: ShardChannel, after: number, rows: readonly Numbered[]): void {
    if (after > line.taken) {
      if (!line.isAsking) this.#post(line, ['more', line.taken]);
      line.isAsking = true;
      return;
    }
    line.isAsking = false;
    for (const [sequence, crossing] of rows) {
      if (sequence <= line.taken) continue;
      line.taken = sequence;
      this.#arrive(crossing);
    }
    const { taken } = line;
    this.#world.draft.put(rowKey(KEYSPACE.shard, `in!${hex(line.shard)}`), taken);
    this.#world.draft.output(() => this.#post(line, ['taken', taken]));
    this.#world.wake();
  }

  /** Removed with the next epoch, whatever that is about: one that comes again is known at the other side. */
  #confirm(line: ShardChannel, upTo: number): void {
    const wasFull = line.open.size > ROOM;
    for (const sequence of line.open.keys()) {
      if (sequence > upTo) break;
      line.open.delete(sequence);
      this.#world.draft.remove(outKey(line.shard, sequence));
    }
    if (wasFull && line.open.size <= ROOM) this.#onRoom(line.shard);
    if (this.#waiting.size > 0) this.#tellSettled();
  }

  #tellSettled(): void {
    const oldest = Math.min(
      ...[...this.#lines.values()]
        .filter(({ isBlocked }) => !isBlocked)
        .map(({ open }) => open.keys().next().value ?? Infinity),
    );
    for (const waiting of this.#waiting) {
      if (this.#isOpen && oldest < waiting.upTo) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  #line(shard: number): ShardChannel {
    return this.#lines.get(shard)!;
  }
}

function outKey(shard: number, sequence: number): RowKey {
  return rowKey(KEYSPACE.shard, `out!${hex(shard)}!${sequence.toString(16).padStart(14, '0')}`);
}

function hex(shard: number): string {
  return shard.toString(16).padStart(4, '0');
}
