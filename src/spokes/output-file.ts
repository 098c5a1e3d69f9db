/**
 * One output stream of a command in files: its beginning, and its end if it is long. A file has the offset of its first
 * byte in its name, so that the files alone tell how much was printed and what is left out.
 */
import { createReadStream } from 'node:fs';
import { appendFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { OUTPUT_END_BYTES, OUTPUT_HEAD_BYTES } from './limits.ts';

/** The names of the streams. */
export type StreamName = 'stdout' | 'stderr';

/** The most bytes of one character of UTF-8. */
const CHARACTER_BYTES = 4;

/** Bytes that wait to be written, after which the command waits too. */
const WAITING_BYTES = 1024 * 1024;

interface Segment {
  readonly path: string;
  readonly offset: number;
  bytes: number;
}

/** Takes a stream of any length. A disk that takes nothing more costs the rest of the output, and not the command. */
export class OutputFile extends Writable {
  readonly #folder: string;
  readonly #name: StreamName;
  /** Files on disk, the first ones first. */
  #segments: Segment[] = [];
  #isBroken = false;

  /**
   * Makes the writer.
   *
   * @param folder An existing directory, without files of an earlier stream of this name.
   */
  constructor(folder: string, name: StreamName) {
    super({ highWaterMark: WAITING_BYTES });
    this.#folder = folder;
    this.#name = name;
  }

  /** Bytes on disk. */
  get bytesKept(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    void this.#keep(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(done);
  }

  /** Ends the stream, and resolves when all that it has taken is on disk. */
  async finished(): Promise<void> {
    await new Promise<void>((resolve) => this.end(resolve));
  }

  async #keep(chunk: Buffer): Promise<void> {
    for (let rest = chunk; rest.length > 0 && !this.#isBroken; ) {
      try {
        const segment = await this.#segment();
        const part = rest.subarray(0, roomIn(segment));
        await appendFile(segment.path, part, { mode: 0o600 });
        segment.bytes += part.length;
        rest = rest.subarray(part.length);
      } catch {
        this.#isBroken = true;
      }
    }
  }

  /** The file to write to. */
  async #segment(): Promise<Segment> {
    const last = this.#segments.at(-1);
    if (last !== undefined && roomIn(last) > 0) return last;
    const offset = last === undefined ? 0 : last.offset + last.bytes;
    const segment = { path: join(this.#folder, `${this.#name}.${offset}`), offset, bytes: 0 };
    this.#segments.push(segment);
    // The beginning stays, and the last two files have at least the bytes of an end.
    for (const gone of this.#segments.splice(1, this.#segments.length - 3)) await rm(gone.path, { force: true });
    return segment;
  }
}

function roomIn({ offset, bytes }: Segment): number {
  return (offset === 0 ? OUTPUT_HEAD_BYTES : OUTPUT_END_BYTES) - bytes;
}

/** A stream as its files have it. */
export interface Printed {
  /** Bytes that were printed. */
  readonly bytes: number;
  /** The end of the text. */
  readonly tail: string;
}

/** Reads the end of a stream: at most so many characters. */
export async function tailOf(folder: string, name: StreamName, chars: number): Promise<Printed> {
  const segments = await segmentsIn(folder, name);
  const last = segments.at(-1);
  const bytes = last === undefined ? 0 : last.offset + last.bytes;
  const chunks: Buffer[] = [];
  let wanted = Math.min(bytes, chars * CHARACTER_BYTES);
  for (let index = segments.length - 1; index >= 0 && wanted > 0; index -= 1) {
    const segment = segments[index]!;
    const after = segments[index + 1];
    // What lies between was left out: the end does not continue before it.
    if (after !== undefined && segment.offset + segment.bytes !== after.offset) break;
    // One that is left out meanwhile ends the end as well.
    const chunk = await endOf(segment, wanted).catch(() => undefined);
    if (chunk === undefined) break;
    chunks.unshift(chunk);
    wanted -= chunk.length;
  }
  return { bytes, tail: Buffer.concat(chunks).toString('utf8').toWellFormed().slice(-chars).toWellFormed() };
}

/** Reads a whole stream; undefined if a part of it was left out. */
export async function wholeOf(folder: string, name: StreamName): Promise<string | undefined> {
  const segments = await segmentsIn(folder, name);
  if (segments.length > 1) return undefined;
  const [only] = segments;
  return only === undefined ? '' : (await endOf(only, only.bytes)).toString('utf8').toWellFormed();
}

async function segmentsIn(folder: string, name: StreamName): Promise<Segment[]> {
  const names = await readdir(folder).catch(() => []);
  const found = names.filter((file) => file.startsWith(`${name}.`));
  const segments = found.map(async (file) => {
    const path = join(folder, file);
    const facts = await stat(path).catch(() => undefined);
    return facts === undefined ? [] : [{ path, offset: Number(file.slice(name.length + 1)), bytes: facts.size }];
  });
  return (await Promise.all(segments)).flat().sort((one, other) => one.offset - other.offset);
}

function endOf({ path, bytes }: Segment, wanted: number): Promise<Buffer> {
  return buffer(createReadStream(path, { start: Math.max(0, bytes - wanted) }));
}
