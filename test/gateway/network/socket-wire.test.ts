/** Frames on their way out of a socket: the number of writes, the bytes, and the notice that they have left. */
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type WebSocket } from 'ws';
import { frameText } from '../../../src/gateway/client/frame-text.ts';
import { type ServerFrame } from '../../../src/gateway/protocol/frames.ts';
import { FrameBytes, wireOf } from '../../../src/gateway/network/socket-wire.ts';
import { OUT_BYTES_LOW } from '../../../src/gateway/limits.ts';
import { textOfBytes, WIDE_CHARACTERS } from '../../support/text-of-bytes.ts';

/** A socket that records each write, and completes writes at once or on demand. */
function stage({ isStuck = false } = {}) {
  const writes: string[] = [];
  const left: (() => void)[] = [];
  const took = (texts: readonly Buffer[], done: () => void) => {
    writes.push(Buffer.concat(texts).toString());
    if (isStuck) left.push(done);
    else done();
  };
  const socket = new Writable({
    write: (chunk: Buffer, _, done) => took([chunk], done),
    writev: (chunks, done) =>
      took(
        chunks.map(({ chunk }) => chunk as Buffer),
        done,
      ),
  });
  const sent: Buffer[] = [];
  const failures: unknown[] = [];
  socket.on('error', () => {});
  const ws = {
    get bufferedAmount() {
      return socket.writableLength;
    },
    send: (data: Buffer, ...rest: unknown[]) => {
      sent.push(data);
      const told = rest.at(-1) as (() => void) | undefined;
      socket.write(data, (error) => {
        if (error) failures.push(error);
        told?.();
      });
    },
    terminate: () => void socket.destroy(),
  };
  let told = 0;
  const wire = wireOf(ws as unknown as WebSocket, {
    socket: socket as never,
    bytes: new FrameBytes(),
    drained: () => (told += 1),
  });
  return { wire, writes, sent, failures, leave: () => left.shift()!(), told: () => told };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('frames of one connection', () => {
  it('leave in one write if the sender announced further frames', () => {
    const { wire, writes } = stage();
    wire.send('a', true);
    wire.send('b', true);
    expect(writes).toEqual([]);
    wire.send('c');
    expect(writes).toEqual(['abc']);
    wire.send('d');
    expect(writes).toEqual(['abc', 'd']);
  });

  it(
    'all fail with the same error object when the connection is cut off, since creating a thousand stacks would ' +
      'delay all connections',
    async () => {
      const { wire, failures, leave } = stage({ isStuck: true });
      for (let n = 0; n < 1_000; n++) wire.send('x');
      wire.terminate();
      leave();
      await turn();
      expect(failures.length).toBeGreaterThanOrEqual(999);
      expect(new Set(failures).size).toBe(1);
    },
  );

  it('leave in the next round of the event loop even if the announced frame does not come', async () => {
    const { wire, writes } = stage();
    wire.send('a', true);
    await turn();
    expect(writes).toEqual(['a']);
    wire.send('b', true);
    await turn();
    expect(writes).toEqual(['a', 'b']);
  });

  it('leave at once when 64 KB have gathered', () => {
    const { wire, writes } = stage();
    const text = 'x'.repeat(40 * 1024);
    wire.send(text, true);
    expect(writes).toEqual([]);
    wire.send(text, true);
    expect(writes).toEqual([text + text]);
  });
});

describe('a client that stopped reading', () => {
  it('is known to read again when a frame that was queued behind another has left', async () => {
    const { wire, leave, told } = stage({ isStuck: true });
    wire.send('a');
    wire.send('b');
    leave();
    await turn();
    expect(told()).toBe(0);
    leave();
    await turn();
    expect(told()).toBe(1);
  });

  it('is known to read again when one large frame has left', async () => {
    const { wire, leave, told } = stage({ isStuck: true });
    wire.send('x'.repeat(OUT_BYTES_LOW + 1));
    leave();
    await turn();
    expect(told()).toBe(1);
  });

  it.each(WIDE_CHARACTERS)(
    'B6: is known to read again when a frame of %s above the low mark has left',
    async (wide) => {
      const { wire, leave, told } = stage({ isStuck: true });
      wire.send(textOfBytes(OUT_BYTES_LOW, wide));
      leave();
      await turn();
      expect(told()).toBe(0);
      wire.send(textOfBytes(OUT_BYTES_LOW + 1, wide));
      leave();
      await turn();
      expect(told()).toBe(1);
    },
  );
});

describe('a frame to many subscribers', () => {
  it('is the same buffer for all', () => {
    const bytes = new FrameBytes();
    const text = 'ü\u2028';
    expect(bytes.of(text)).toEqual(Buffer.from(text));
    expect(bytes.of(text)).toBe(bytes.of(text));
    expect(bytes.of('other').toString()).toBe('other');
    expect(bytes.of(text).toString()).toBe(text);
  });

  it('is the same text for all subscriptions with the same id', () => {
    const change = {
      prev: 1,
      at: { epoch: '2.ff', seq: 2 },
      ops: [{ op: 'replace', path: '/context/count', value: 1 }],
    } as const;
    const frame = (id: string): ServerFrame => ({
      t: 'delta',
      id,
      prev: change.prev,
      at: change.at,
      ops: change.ops as never,
    });
    expect(frameText(frame('s'))).toBe(frameText(frame('s')));
    expect(frameText(frame('other'))).not.toEqual(frameText(frame('s')));
    expect(frameText(frame('s'))).toEqual(frameText(structuredClone(frame('s'))));
  });

  it('differs when the same event object is emitted again, or by a different actor', () => {
    const e = Object.freeze({ type: 'told' });
    const frame = (seq: number, address: string): ServerFrame => ({
      t: 'evt',
      id: 's',
      at: { epoch: 'x.0', seq },
      address,
      e,
    });
    for (const one of [frame(1, 'a'), frame(2, 'a'), frame(3, 'b')])
      expect(frameText(one)).toEqual(frameText(structuredClone(one)));
  });
});
