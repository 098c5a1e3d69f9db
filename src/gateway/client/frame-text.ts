/**
 * Frames as JSON text and back. Incoming text is limited in size, depth and number of values before other code reads
 * it.
 */
import { isTextOver } from '../../text-bytes.ts';
import { FRAME_BYTES_MAX, FRAME_DEPTH_MAX, FRAME_VALUES_MAX } from '../limits.ts';
import { type ServerFrame } from '../protocol/frames.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { flawOf } from '../protocol/values.ts';
import { invalid } from '../callers/wire-errors.ts';

const BOUNDS = { depthMax: FRAME_DEPTH_MAX, valuesMax: FRAME_VALUES_MAX };

/** The last frame that contained a part. */
interface Encoded {
  readonly id: string;
  readonly at: Cursor;
  readonly text: string;
}

const encoded = new WeakMap<object, Encoded>();

/**
 * A frame as text. A frame to many clients is encoded once for all subscriptions with the same id, which clients of one
 * program mostly share; equal text also shares its bytes (socket-wire.ts).
 */
export function frameText(frame: ServerFrame): string {
  if (frame.t !== 'delta' && frame.t !== 'evt') return JSON.stringify(frame);
  const { id, at } = frame;
  const part = frame.t === 'delta' ? frame.ops : frame.e;
  const known = encoded.get(part);
  // An event emitted again is the same object with another cursor.
  if (known?.id === id && known.at.seq === at.seq && known.at.epoch === at.epoch) return known.text;
  const text = frame.t === 'delta' ? deltaText(frame) : eventText(frame);
  encoded.set(part, { id, at, text });
  return text;
}

/** JSON text of parts that many frames contain: patches, cursors and events. */
const texts = new WeakMap<object, string>();

function textOf(part: object): string {
  let text = texts.get(part);
  if (text === undefined) texts.set(part, (text = JSON.stringify(part)));
  return text;
}

function deltaText({ id, prev, at, ops }: ServerFrame & { readonly t: 'delta' }): string {
  return `{"t":"delta","id":${JSON.stringify(id)},"prev":${prev},"at":${textOf(at)},"ops":${textOf(ops)}}`;
}

function eventText({ id, at, address, e }: ServerFrame & { readonly t: 'evt' }): string {
  const [name, place, actor] = [JSON.stringify(id), JSON.stringify(at), JSON.stringify(address)];
  return `{"t":"evt","id":${name},"at":${place},"address":${actor},"e":${textOf(e)}}`;
}

/** Parses a frame or the body of a request. Throws BOSUN_CALL_INVALID. */
export function parseJson(text: string): unknown {
  const value = jsonIn(text);
  if (value === undefined) throw invalid('the frame is not JSON');
  return value;
}

/** Like `parseJson`, but returns undefined for invalid JSON, to which another protocol has its own answer. */
export function jsonIn(text: string): unknown {
  if (isTextOver(text, FRAME_BYTES_MAX)) throw invalid(`a frame has at most ${FRAME_BYTES_MAX} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const flaw = flawOf(value, BOUNDS);
  if (flaw !== undefined) throw invalid(`the frame holds ${flaw}`);
  return value;
}
