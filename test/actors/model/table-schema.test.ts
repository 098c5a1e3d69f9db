/** Schemas of tables: the tables that they accept, and the fields of a row that they hide. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasSecrets, secret } from '../../../src/actors/model/secret.ts';
import { tableSchema } from '../../../src/actors/model/table-schema.ts';
import { shown } from '../../../src/gateway/topics/wire-values.ts';
import { table } from '../../../src/table.ts';

const account = z.object({ name: z.string(), pin: secret(z.string()) });

describe('a schema of a table', () => {
  it('accepts only tables whose rows match the schema of a row', () => {
    const schema = tableSchema(z.object({ n: z.number() }));
    expect(schema.safeParse(table([['a', { n: 1 }]])).success).toBe(true);
    expect(schema.safeParse(table([['a', { n: 'x' }]])).success).toBe(false);
    expect(schema.safeParse(new Map()).success).toBe(false);
  });

  it('hides the secret fields of a row', () => {
    const schema = z.object({ accounts: tableSchema(account) });
    expect(hasSecrets(schema)).toBe(true);
    expect(shown({ accounts: table([['a', { name: 'Ada', pin: '1234' }]]) }, schema)).toEqual({
      accounts: { size: 1, rows: { a: { name: 'Ada', pin: '[secret]' } }, next: null },
    });
  });
});
