/** Frames as JSON text and back. What comes in is bounded and walked before anything looks into it. */
import { FRAME_BYTES_MAX, FRAME_DEPTH_MAX, FRAME_VALUES_MAX } from '../../limits.ts';
import { type ServerFrame } from '../protocol/frames.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { flawOf } from '../protocol/values.ts';
import { invalid } from '../calls/wire-errors.ts';

const BOUNDS = { depthMax: FRAME_DEPTH_MAX, valuesMax: FRAME_VALUES_MAX };

/** The last frame that told of a part. */
interface Encoded {
  readonly id: string;
  readonly at: Cursor;
  readonly text: string;
}

const encoded = new WeakMap<object, Encoded>();

/**
 * A frame as text. What many are told is encoded once for all whose subscriptions have the same id, as those of one
 * program mostly have, and so it is one text, whose bytes they share too (socket-wire.ts).
 */
export function frameText(frame: ServerFrame): string {
  if (frame.t !== 'delta' && frame.t !== 'evt') return JSON.stringify(frame);
  const { id, at } = frame;
  const part = frame.t === 'delta' ? frame.ops : frame.e;
  const known = encoded.get(part);
  // An event that is emitted again is the same object at another place.
  if (known?.id === id && known.at.seq === at.seq && known.at.epoch === at.epoch) return known.text;
  const text = frame.t === 'delta' ? deltaText(frame) : eventText(frame);
  encoded.set(part, { id, at, text });
  return text;
}

/** Parts that many frames have, as text: patches, cursors and events are the same for all who are told of them. */
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

/** A frame, or the body of a request. Throws BOSUN_CALL_INVALID. */
export function parseJson(text: string): unknown {
  // A character is at least one byte, so that is never too strict.
  if (text.length > FRAME_BYTES_MAX) throw invalid(`a frame has at most ${FRAME_BYTES_MAX} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('this is no JSON');
  }
  const flaw = flawOf(value, BOUNDS);
  if (flaw !== undefined) throw invalid(`the frame holds ${flaw}`);
  return value;
}
