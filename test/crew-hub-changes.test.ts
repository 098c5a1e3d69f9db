/** Changes of sessions for clients: the files that a host found, and the beginning of their diff. */
import { afterEach, describe, expect, it } from 'vitest';
import { changesProcedures, type SessionChanges } from '../src/crew-hub-looks.ts';
import { type GatewayTest, startGatewayTest } from './support/gateway/memory-client.ts';

const CHANGES: SessionChanges = { files: [{ path: 'a.ts', isNew: true, lines: null }], patch: '--- a', isCut: true };

let test: GatewayTest;
afterEach(() => test.stop());

describe('session.changes', () => {
  it('gives what the host finds, in the length that is asked for, and null where it finds nothing', async () => {
    const asked: unknown[] = [];
    const procedures = changesProcedures((session, chars) => {
      asked.push([session, chars]);
      return Promise.resolve(session === 'R-1-1' ? CHANGES : undefined);
    });
    test = await startGatewayTest({ procedures });
    const client = await test.client();
    const call = (params: object) => test.call(client, 'session.changes', params);
    expect(await call({ session: 'R-1-1', chars: 13 })).toMatchObject({ ok: true, r: { changes: CHANGES } });
    expect(await call({ session: 'R-1-2' })).toMatchObject({ ok: true, r: { changes: null } });
    expect(await call({ session: 'R-1-1', chars: 200_001 })).toMatchObject({ ok: false });
    const first = ['R-1-1', 13];
    expect(asked).toEqual([first, ['R-1-2', 20_000]]);
  });
});
