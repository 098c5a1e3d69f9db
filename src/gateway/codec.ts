/** Bytes to frames and back, for each subprotocol. What comes in is bounded and walked before anything looks into it. */
import { FRAME_BYTES_MAX, FRAME_DEPTH_MAX, FRAME_VALUES_MAX } from '../limits.ts';
import { decodeMsgpack, encodeMsgpack, MalformedError } from './protocol-msgpack.ts';
import { type ServerFrame } from './protocol-frames.ts';
import { SUBPROTOCOLS } from './protocol.ts';
import { flawOf } from './protocol-values.ts';
import { invalid } from './wire-errors.ts';

export interface Codec {
  encode(frame: ServerFrame): string | Uint8Array;
  /** Throws BOSUN_CALL_INVALID. */
  decode(data: string | Uint8Array): unknown;
}

const BOUNDS = { depthMax: FRAME_DEPTH_MAX, valuesMax: FRAME_VALUES_MAX };

const json: Codec = {
  encode: jsonOf,
  decode: (data) => {
    if (typeof data !== 'string') throw invalid('this subprotocol has text frames only');
    return parseJson(data);
  },
};

/** Parts that many frames have, as text: patches, cursors and events are the same for all who are told of them. */
const texts = new WeakMap<object, string>();

function textOf(part: object): string {
  let text = texts.get(part);
  if (text === undefined) texts.set(part, (text = JSON.stringify(part)));
  return text;
}

function jsonOf(frame: ServerFrame): string {
  if (frame.t === 'delta') return `{"t":"delta","id":${JSON.stringify(frame.id)},"prev":${frame.prev},"at":${textOf(frame.at)},"ops":${textOf(frame.ops)}}`;
  if (frame.t === 'evt') return `{"t":"evt","id":${JSON.stringify(frame.id)},"at":${JSON.stringify(frame.at)},"address":${JSON.stringify(frame.address)},"e":${textOf(frame.e)}}`;
  return JSON.stringify(frame);
}

const msgpack: Codec = {
  encode: (frame) => encodeMsgpack(frame),
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
