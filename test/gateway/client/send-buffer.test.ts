/** Frames on their way to one client, whose bounds are bytes whatever the characters. */
import { describe, expect, it } from 'vitest';
import { frameText, parseJson } from '../../../src/gateway/client/frame-text.ts';
import { SendBuffer } from '../../../src/gateway/client/send-buffer.ts';
import { FRAME_BYTES_MAX, OUT_BYTES_MAX } from '../../../src/gateway/limits.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { textOfBytes, WIDE_CHARACTERS } from '../../support/text-of-bytes.ts';

/** A buffer whose wire keeps nothing back, and the frames that have left. */
function stage() {
  const sent: { ok?: boolean; e?: { code: string } }[] = [];
  const nothing = () => {};
  const buffer = new SendBuffer({
    wire: {
      ...{ bufferedBytes: 0, pause: nothing, resume: nothing, close: nothing, terminate: nothing },
      send: (text) => void sent.push(JSON.parse(text) as (typeof sent)[number]),
    },
    text: frameText,
    clock: new VirtualClock(),
    ...{ onWell: nothing, onSlow: nothing, onHopeless: nothing },
  });
  return { buffer, sent };
}

const answer = (r: string) => ({ t: 'res', id: 'r', ok: true, r }) as const;
const AROUND_BYTES = frameText(answer('')).length;

describe.each(WIDE_CHARACTERS)('text of %s', (character) => {
  it('B6: is sent in a frame of at most OUT_BYTES_MAX bytes, and replaced by an error from one byte more', () => {
    const { buffer, sent } = stage();
    for (const bytes of [OUT_BYTES_MAX, OUT_BYTES_MAX + 1])
      buffer.send(answer(textOfBytes(bytes - AROUND_BYTES, character)));
    expect(sent.map(({ ok, e }) => e?.code ?? ok)).toEqual([true, 'BOSUN_GATEWAY_FULL']);
  });

  it('B6: is read in a frame of at most FRAME_BYTES_MAX bytes', () => {
    const read = (bytes: number) => parseJson(JSON.stringify(textOfBytes(bytes - 2, character)));
    expect(read(FRAME_BYTES_MAX)).toBeTypeOf('string');
    expect(() => read(FRAME_BYTES_MAX + 1)).toThrow(`at most ${FRAME_BYTES_MAX} bytes`);
  });
});
