/** docs/otp-parity-messages.md says what the cases show. `npx vitest run test/actors/otp-messages.test.ts -u` writes it anew. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CASES, show } from './otp-messages.ts';
import { STATEM_CASES } from './otp-statem.ts';

const ALL = [...CASES, ...STATEM_CASES].sort((a, b) => a.number - b.number);

describe('cases of other runtimes', () => {
  it.each(ALL.filter(({ shows }) => shows !== undefined))('$number: $name', async (parity) => {
    const { expected, instead = expected } = parity;
    expect(await show(parity)).toEqual(instead);
  });

  it('are what docs/otp-parity-messages.md says', async () => {
    const rows = ALL.map(({ number, name, source, shows, differs }) => `| ${number} | ${name} | ${source} | ${shows === undefined ? 'not offered' : differs === undefined ? 'same' : 'differs'} | ${differs ?? ''} |`);
    const head = '# Messages, states, monitors and groups beside other runtimes\n\n**Generated** by `test/actors/otp-messages.test.ts` from what the cases show; a case alone: `npx vitest run test/actors/otp-messages.test.ts -t "91:"`.\n\n| number | case | source | result | why |\n|---|---|---|---|---|';
    await expect(`${[head, ...rows].join('\n')}\n`).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/otp-parity-messages.md'));
  });
});
