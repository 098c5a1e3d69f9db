/**
 * Channels between shards: an outbox and an inbox for every other shard. Messages become durable with the turns that
 * send them and arrive once, in order. Everything that one epoch sends to one shard is one frame: encoded once, by the
 * codec that every store reads, kept as one row and posted as the same bytes when the epoch is durable. A frame stays
 * until the other shard has confirmed that the epoch in which it took the frame is durable. Frames are numbered by the
 * counter of messages; the receiver remembers the highest number that it has taken, and requests missing ones.
 * shard-link.ts interprets the messages.
 */
import { LINE_MESSAGES_MAX } from '../../../limits.ts';
import { rowKey } from '../../model/row-keys.ts';
import { Concealed, KEYSPACE } from '../../model/ports.ts';
import { type Wire } from '../../model/wire.ts';
import { type ShardPlace } from '../../model/placement.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<Surroundings, 'codec' | 'draft' | 'log' | 'next' | 'nextNumber' | 'skip' | 'tracing' | 'wake'>;

/**
 * A message between shards: `to` is a life or the number of an ask, 0 if only the address, or the group, is known.
 */
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

/** A row of keyspace `frames`: messages as the codec packs a list of them. */
export type FrameRow = readonly [shard: number, count: number, messages: Uint8Array];

interface OpenFrame {
  readonly count: number;
  readonly messages: Uint8Array;
}

/**
 * A frame or request on the wire. `frame`: the frame that followed `after`. `more`: requests frames after a number.
 * `taken`: confirms.
 */
type Word =
  | readonly ['frame', after: number, number: number, messages: Uint8Array]
  | readonly ['more' | 'taken', number: number];

/** Messages of one frame: enough to share its cost, few enough to be taken in one slice. */
const FRAME_MESSAGES_MAX = 500;

/** The count below which waiting senders go on: waking them one by one would make each wait again after one turn. */
const ROOM = LINE_MESSAGES_MAX / 2;

interface ShardChannel {
  readonly shard: number;
  /** Sealed frames that are not confirmed, by number. */
  readonly open: Map<number, OpenFrame>;
  /** The frame that collects messages of the epoch in the making; null if there is none. */
  making: { readonly number: number; readonly messages: ShardMessage[] } | null;
  /** Whether the end of the epoch in the making will seal that frame. */
  isGathered: boolean;
  /** Number of messages in all of these frames. */
  count: number;
  /** The highest number with a row. */
  sealed: number;
  /** The highest durable number. */
  durable: number;
  /** The highest number posted. */
  posted: number;
  /** Whether an unreadable frame blocks those after it. */
  isBlocked: boolean;
  /** The highest number taken from the other shard. */
  taken: number;
  /** Whether the epoch in the making will confirm that number. */
  isToldOf: boolean;
  /** Whether missing frames have been requested. */
  isAsking: boolean;
}

export class ShardChannels {
  readonly #world: Needs;
  readonly #wire: Wire;
  readonly #arrive: (crossing: ShardMessage) => void;
  readonly #onRoom: (shard: number) => void;
  /** Channels by shard; none to itself. */
  readonly #lines = new Map<number, ShardChannel>();
  #isOpen = false;
  /** Callers that wait until everything in transit has been taken: the highest number, and a callback. */
  readonly #waiting = new Set<{ readonly upTo: number; readonly resolve: () => void }>();

  /**
   * Makes the channels.
   *
   * @param parts.arrive Takes a message; it must not throw. `onRoom`: called when a full channel has room again.
   */
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
        making: null,
        isGathered: false,
        count: 0,
        sealed: 0,
        durable: 0,
        posted: 0,
        isBlocked: false,
        taken: 0,
        isToldOf: false,
        isAsking: false,
      });
    }
  }

  /** Loads the highest number taken from another shard, if a row that recovery found has it. */
  loadTaken(key: string, row: unknown): void {
    const [direction, shard = ''] = key.split('!');
    const line = this.#lines.get(parseInt(shard, 16));
    if (direction === 'in' && line !== undefined) line.taken = row as number;
  }

  /** Loads a frame that recovery found, in order of the numbers. */
  loadFrame(number: number, [shard, count, messages]: FrameRow): void {
    const line = this.#lines.get(shard);
    if (line === undefined || line.isBlocked) return;
    if ((messages as unknown) instanceof Concealed) {
      line.isBlocked = true;
      this.#world.log(
        `messages to worker ${shard} wait for a start that has the key under which the first of them is encrypted`,
      );
      return;
    }
    line.durable = number;
    line.count += count;
    line.open.set(number, { count, messages });
  }

  /** Opens the channels: takes incoming messages from now on, and sends unconfirmed frames again. */
  open(): void {
    this.#isOpen = true;
    this.#wire.listen((from, bytes) => this.#hear(from, bytes));
    for (const line of this.#lines.values()) {
      this.#post(line, ['taken', line.taken]);
      this.#post(line, ['more', line.taken]);
      this.#postOpen(line, 0);
    }
  }

  /** Closes: nothing is posted or taken any more. */
  close(): void {
    this.#isOpen = false;
    this.#tellSettled();
  }

  isFull(shard: number): boolean {
    return this.#line(shard).count >= LINE_MESSAGES_MAX;
  }

  /** Resolves when everything now in transit has been taken, or nothing is posted any more. */
  settled(): Promise<void> {
    const upTo = this.#world.nextNumber('message');
    return new Promise((resolve) => {
      this.#waiting.add({ upTo, resolve });
      this.#tellSettled();
    });
  }

  /** Enters a message into the epoch in the making. It has been admitted. */
  add(shard: number, crossing: ShardMessage): void {
    const line = this.#line(shard);
    if (!line.isGathered) {
      line.isGathered = true;
      // A reply from another shard is not worth an epoch of its own, as long as there are turns to take.
      this.#world.draft.atEnd(() => this.#gather(line));
    }
    line.making ??= { number: this.#world.next('message'), messages: [] };
    line.making.messages.push(crossing);
    line.count += 1;
    if (line.making.messages.length === FRAME_MESSAGES_MAX) this.#seal(line);
    this.#world.wake();
  }

  /** Seals the frame at the end of its epoch, and posts it when that is durable. */
  #gather(line: ShardChannel): void {
    line.isGathered = false;
    this.#seal(line);
    const { sealed } = line;
    this.#world.draft.output(() => {
      line.durable = sealed;
      this.#postOpen(line, line.posted);
    });
  }

  /** Seals the frame that collects messages: makes it a row. */
  #seal(line: ShardChannel): void {
    if (line.making === null) return;
    const { draft, codec } = this.#world;
    const { number, messages } = line.making;
    const { shard } = line;
    const frame: OpenFrame = { count: messages.length, messages: codec.pack(messages) };
    line.making = null;
    line.sealed = number;
    line.open.set(number, frame);
    const row: FrameRow = Object.freeze([shard, frame.count, frame.messages] as const);
    // This shard does not know which actors of other shards have secrets.
    draft.putOf(0, rowKey(KEYSPACE.frames, number), row, (conceal) => [shard, frame.count, conceal(frame.messages)]);
  }

  /** Posts durable frames after a number that the other side has or will get. */
  #postOpen(line: ShardChannel, behind: number): void {
    if (line.isBlocked) return;
    let after = behind;
    for (const [number, { messages }] of line.open) {
      if (number <= behind || number > line.durable) continue;
      this.#post(line, ['frame', after, number, messages]);
      after = number;
    }
    line.posted = Math.max(line.posted, after);
  }

  #post({ shard }: ShardChannel, word: Word): void {
    if (this.#isOpen) this.#wire.post(shard, this.#world.codec.pack(word));
  }

  #hear(from: number, bytes: Uint8Array): void {
    const line = this.#lines.get(from);
    if (!this.#isOpen || line === undefined) return;
    const word = this.#world.codec.unpack(bytes) as Word;
    if (word[0] === 'frame') this.#take(line, word[1], { number: word[2], messages: word[3] });
    else {
      // After a store was set back (durability below `disk`) its numbers must not be used again.
      this.#world.skip('message', word[1] + 1);
      if (word[0] === 'more') this.#postOpen(line, word[1]);
      else this.#confirm(line, word[1]);
    }
  }

  #take(line: ShardChannel, after: number, frame: { readonly number: number; readonly messages: Uint8Array }): void {
    if (after > line.taken) {
      if (!line.isAsking) this.#post(line, ['more', line.taken]);
      line.isAsking = true;
      return;
    }
    line.isAsking = false;
    if (frame.number > line.taken) {
      line.taken = frame.number;
      for (const crossing of this.#world.codec.unpack(frame.messages) as readonly ShardMessage[])
        this.#arrive(crossing);
    }
    this.#tellTaken(line);
    this.#world.wake();
  }

  /** Confirms once for everything that one epoch takes. */
  #tellTaken(line: ShardChannel): void {
    if (line.isToldOf) return;
    line.isToldOf = true;
    const { draft } = this.#world;
    draft.atEnd(() => {
      line.isToldOf = false;
      const { taken } = line;
      draft.put(rowKey(KEYSPACE.shard, `in!${line.shard.toString(16).padStart(4, '0')}`), taken);
      draft.output(() => this.#post(line, ['taken', taken]));
    });
  }

  /**
   * Removes confirmed frames with the next epoch, whatever its contents, since the other side recognises a repeated
   * frame.
   */
  #confirm(line: ShardChannel, upTo: number): void {
    const wasFull = line.count > ROOM;
    for (const [number, { count }] of line.open) {
      if (number > upTo) break;
      line.open.delete(number);
      line.count -= count;
      this.#world.draft.remove(rowKey(KEYSPACE.frames, number));
    }
    if (wasFull && line.count <= ROOM) this.#onRoom(line.shard);
    if (this.#waiting.size > 0) this.#tellSettled();
  }

  #tellSettled(): void {
    const oldest = Math.min(
      ...[...this.#lines.values()]
        .filter(({ isBlocked }) => !isBlocked)
        .map(({ open, making }) => open.keys().next().value ?? making?.number ?? Infinity),
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
