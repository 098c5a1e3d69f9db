/** The table of conformance.ts, played in both subprotocols. */
import { describe, expect, it } from 'vitest';
import { SUBPROTOCOLS } from '../../src/gateway/protocol.ts';
import { ROWS } from './conformance.ts';
import { type Frame, MemoryClient, startGatewayTest } from './memory-client.ts';

describe.each(Object.values(SUBPROTOCOLS))('%s', (subprotocol) => {
  it.each(ROWS)('$rule', async ({ send, expect: expected, greets = true, closes }) => {
    const test = await startGatewayTest();
    const client = new MemoryClient(test.gateway, { subprotocol });
    if (greets) client.hello();
    await test.settle();
    const before = client.frames.length;
    for (const frame of send) {
      client.send(frame);
      await test.settle();
    }
    expect(byId(client.frames.slice(before))).toMatchObject(byId(expected as readonly Frame[]));
    expect(client.closed?.code).toBe(closes);
    await test.stop();
  });
});

function byId(frames: readonly Frame[]): Frame[] {
  return [...frames].sort((a, b) => String(a['id'] ?? '').localeCompare(String(b['id'] ?? '')));
}
