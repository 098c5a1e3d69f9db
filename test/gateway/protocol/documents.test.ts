/**
 * The documents about the protocol equal its tables. `npx vitest run test/gateway/protocol/documents.test.ts -u` writes
 * them again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asyncapi, openapi, ROWS } from '../../../src/gateway/network/documents.ts';
import { FRAMES } from '../../../src/gateway/protocol/frames.ts';
import { withTables } from '../../support/gateway/page.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = join(ROOT, 'docs/protocol.md');

describe('the documents', () => {
  it('DC-008: docs/protocol.md has the same tables as the code', async () => {
    await expect(withTables(readFileSync(PAGE, 'utf8'))).toMatchFileSnapshot(PAGE);
  });

  it.each(ROWS)('have an example for %s that fits its schemas', (_, { params, result, example }) => {
    expect(params.safeParse(example.p).error).toBe(undefined);
    expect(result.safeParse(example.r).error).toBe(undefined);
  });

  it('have every path and verb once, and no broken references', () => {
    const places = ROWS.map(([, { http }]) => `${http.verb} ${http.path}`);
    expect(new Set(places).size).toBe(places.length);
    for (const document of [openapi(), asyncapi()]) {
      const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
      expect(references.length).toBeGreaterThan(0);
      for (const reference of references)
        expect(
          reference
            .split('/')
            .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document),
          reference,
        ).toBeDefined();
    }
  });

  it('name every frame', () => {
    const kinds = Object.keys((asyncapi()['components'] as { messages: object }).messages);
    expect(kinds).toEqual([
      ...Object.keys(FRAMES.client).map((kind) => `client.${kind}`),
      ...Object.keys(FRAMES.server).map((kind) => `server.${kind}`),
    ]);
  });
});
