/**
 * Bytes to frames and back, for each subprotocol. What comes in is bounded and walked before anything looks into it.
 */
import { FRAME_BYTES_MAX, FRAME_DEPTH_MAX, FRAME_VALUES_MAX } from '../../limits.ts';
import { decodeMsgpack, encodeMsgpack, MalformedError } from '../protocol/msgpack.ts';
import { type ServerFrame } from '../protocol/frames.ts';
import { type Cursor, SUBPROTOCOLS } from '../protocol/protocol.ts';
import { flawOf } from '../protocol/values.ts';
import { invalid } from '../calls/wire-errors.ts';

export interface Codec {
  encode(frame: ServerFrame): string | Uint8Array;
  /** Throws BOSUN_CALL_INVALID. */
  decode(data: string | Uint8Array): unknown;
}

const BOUNDS = { depthMax: FRAME_DEPTH_MAX, valuesMax: FRAME_VALUES_MAX };

const json: Codec = {
  encode: shared(jsonOf),
  decode: (data) => {
    if (typeof data !== 'string') throw invalid('this subprotocol has text frames only');
    return parseJson(data);
  },
};

/** The last frame that told of a part. */
interface Encoded<Data> {
  readonly id: string;
  readonly at: Cursor;
  readonly data: Data;
}

/**
 * What many are told is encoded once for all whose subscriptions have the same id, as those of one program mostly have,
 * and so it is one text, whose bytes they share too (socket-wire.ts).
 */
function shared<Data>(encode: (frame: ServerFrame) => Data): (frame: ServerFrame) => Data {
  const last = new WeakMap<object, Encoded<Data>>();
  return (frame) => {
    if (frame.t !== 'delta' && frame.t !== 'evt') return encode(frame);
    const { id, at } = frame;
    const part = frame.t === 'delta' ? frame.ops : frame.e;
    const known = last.get(part);
    // An event that is emitted again is the same object at another place.
    if (known?.id === id && known.at.seq === at.seq && known.at.epoch === at.epoch) return known.data;
    const data = encode(frame);
    last.set(part, { id, at, data });
    return data;
  };
}

/** Parts that many frames have, as text: patches, cursors and events are the same for all who are told of them. */
const texts = new WeakMap<object, string>();

function textOf(part: object): string {
  let text = texts.get(part);
  if (text === undefined) texts.set(part, (text = JSON.stringify(part)));
  return text;
}

function jsonOf(frame: ServerFrame): string {
  if (frame.t === 'delta') {
    const head = `"t":"delta","id":${JSON.stringify(frame.id)},"prev":${frame.prev}`;
    return `{${head},"at":${textOf(frame.at)},"ops":${textOf(frame.ops)}}`;
  }
  if (frame.t === 'evt') {
    const head = `"t":"evt","id":${JSON.stringify(frame.id)},"at":${JSON.stringify(frame.at)}`;
    return `{${head},"address":${JSON.stringify(frame.address)},"e":${textOf(frame.e)}}`;
  }
  return JSON.stringify(frame);
}

const msgpack: Codec = {
  encode: shared(encodeMsgpack),
  decode: (data) => {
    if (typeof data === 'string') throw invalid('this subprotocol has binary frames only');
    if (data.length > FRAME_BYTES_MAX) throw invalid(`a frame has at most ${FRAME_BYTES_MAX} bytes`);
    try {
      return sound(decodeMsgpack(data, BOUNDS));
    } catch (error) {
      throw error instanceof MalformedError ? invalid(error.message) : error;
    }
  },
};

export const CODECS: Readonly<Record<string, Codec>> = { [SUBPROTOCOLS.json]: json, [SUBPROTOCOLS.msgpack]: msgpack };

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
  return sound(value);
}

function sound(value: unknown): unknown {
  const flaw = flawOf(value, BOUNDS);
  if (flaw !== undefined) throw invalid(`the frame holds ${flaw}`);
  return value;
}
