/** The lines that a service writes for reports of the runtime. */
import { describe, expect, it } from 'vitest';
import { serviceLog } from '../../src/cli/serve/service-log.ts';
import { LogLine } from '../../src/log.ts';

function written(isTTY: boolean, json = false): { log: ReturnType<typeof serviceLog>; lines: string[] } {
  const lines: string[] = [];
  return { lines, log: serviceLog({ isTTY, write: (text: string) => lines.push(text) > 0 }, { json }) };
}

const LINE = new LogLine('till (till 1) crashed on take: no money', { incident: 'crashed', address: 'till' });

describe('the log of a service', () => {
  it('carries the fields of a report of the runtime beside its sentence (N1)', () => {
    const { log, lines } = written(false);
    log.runtime(LINE);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: 'warn', time: expect.any(String) as string, incident: 'crashed', address: 'till', msg: LINE.text },
    ]);
  });

  it.each([true, false])('has the errors of every verb with --json, on a terminal: %s', (isTTY) => {
    const { log, lines } = written(isTTY, true);
    log.error('the system closed: the disk has gone', { code: 'BOSUN_STORE_FAILED' });
    log.error('the system closed: nobody knows why');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { type: 'error', code: 'BOSUN_STORE_FAILED', message: 'the system closed: the disk has gone' },
      { type: 'error', code: 'BOSUN_INTERNAL', message: 'the system closed: nobody knows why' },
    ]);
  });

  it('carries only the sentence on a terminal', () => {
    const { log, lines } = written(true);
    log.runtime(LINE);
    expect(lines).toEqual([`${LINE.text}\n`]);
  });
});
