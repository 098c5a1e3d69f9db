/** Output of sessions in files: what is kept of a stream of any length, and for how long. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OUTPUT_END_BYTES, OUTPUT_HEAD_BYTES, OUTPUT_TRIES_KEPT } from '../../src/spokes/limits.ts';
import { OutputFile, tailOf, wholeOf } from '../../src/spokes/output-file.ts';
import { Outputs } from '../../src/spokes/outputs.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'bosun-output-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Bytes that tell where in the stream they are. */
function stream(bytes: number): Buffer {
  const words = Math.ceil(bytes / 8);
  return Buffer.from(
    Array.from({ length: words }, (_, at) => String(at).padStart(8, '0'))
      .join('')
      .slice(0, bytes),
  );
}

async function written(bytes: number, chunkBytes: number): Promise<Buffer> {
  const whole = stream(bytes);
  const file = new OutputFile(folder, 'stdout');
  for (let at = 0; at < bytes; at += chunkBytes)
    if (!file.write(whole.subarray(at, at + chunkBytes))) await new Promise((resolve) => file.once('drain', resolve));
  await file.finished();
  return whole;
}

describe('the output of a command', () => {
  it('is kept whole up to the bytes of a beginning', async () => {
    const whole = await written(OUTPUT_HEAD_BYTES, 1_000_003);
    expect(await wholeOf(folder, 'stdout')).toBe(whole.toString());
  });

  it.each([
    ['a byte more than a beginning', OUTPUT_HEAD_BYTES + 1],
    ['several ends', OUTPUT_HEAD_BYTES + 5 * OUTPUT_END_BYTES + 77],
  ])('has its beginning and its end on disk after %s, and says how much it was', async (_, bytes) => {
    const whole = await written(bytes, 333_333);
    expect(await wholeOf(folder, 'stdout')).toBeUndefined();
    const { bytes: counted, tail } = await tailOf(folder, 'stdout', OUTPUT_END_BYTES);
    const wanted = Math.min(OUTPUT_END_BYTES, bytes);
    expect([counted, tail === whole.subarray(-wanted).toString()]).toEqual([bytes, true]);
    expect(readdirSync(folder).length).toBeLessThanOrEqual(3);
  });

  it('ends in whole characters, wherever its chunks and files end', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 40 }),
        async (texts, chars) => {
          rmSync(folder, { recursive: true });
          mkdirSync(folder);
          const file = new OutputFile(folder, 'stderr');
          for (const byte of Buffer.from(texts.join(''))) file.write(Buffer.of(byte));
          await file.finished();
          const { tail } = await tailOf(folder, 'stderr', chars);
          expect(tail.length).toBeLessThanOrEqual(chars);
          expect(texts.join('').toWellFormed().endsWith(tail) || tail.startsWith('\ufffd')).toBe(true);
        },
      ),
      { numRuns: 50 },
    ));

  it('costs the command nothing when the disk takes no more', async () => {
    const file = new OutputFile(join(folder, 'gone'), 'stdout');
    file.write('lost');
    await file.finished();
    expect(file.bytesKept).toBe(0);
  });
});

describe('the outputs of sessions', () => {
  it('are those of the last try of a session, and of no other session', async () => {
    const outputs = new Outputs(join(folder, 'output'));
    for (const [session, round] of [
      ['R-1-1', 1],
      ['R-1-1', 2],
      ['R-1-11', 3],
    ] as const) {
      const sink = await outputs.begin({ session, round });
      sink.stdout.write(`${session} ${round}`);
      await sink.close();
    }
    expect(await outputs.lastOf('R-1-1', 100)).toEqual({
      round: 2,
      stdout: { bytes: 7, tail: 'R-1-1 2' },
      stderr: { bytes: 0, tail: '' },
    });
    expect(await outputs.lastOf('R-1', 100)).toBeUndefined();
  });

  it('begin anew when the same try begins again', async () => {
    for (const text of ['before', 'again']) {
      const outputs = new Outputs(join(folder, 'output'));
      const sink = await outputs.begin({ session: 'R-1-1', round: 1 });
      sink.stdout.write(text);
      await sink.close();
    }
    expect(await new Outputs(join(folder, 'output')).stdoutOf({ session: 'R-1-1', round: 1 })).toBe('again');
  });

  it('begin at once, as after the end of a host that had many under way', async () => {
    const tries = Array.from({ length: 40 }, (_, at) => ({ session: `R-1-${at}`, round: 1 }));
    for (const text of ['before', 'again']) {
      const outputs = new Outputs(join(folder, 'output'));
      await Promise.all(
        tries.map(async (one) => {
          const sink = await outputs.begin(one);
          sink.stdout.write(text);
          await sink.close();
        }),
      );
    }
    const kept = new Outputs(join(folder, 'output'));
    expect(new Set(await Promise.all(tries.map((one) => kept.stdoutOf(one))))).toEqual(new Set(['again']));
  });

  it('begin where somebody has removed their directory', async () => {
    const place = join(folder, 'output');
    const outputs = new Outputs(place);
    await (await outputs.begin({ session: 'R-1-1', round: 1 })).close();
    for (const session of ['R-1-1', 'R-1-2']) {
      rmSync(place, { recursive: true });
      const sink = await outputs.begin({ session, round: 1 });
      sink.stdout.write('kept');
      await sink.close();
      expect(await outputs.stdoutOf({ session, round: 1 })).toBe('kept');
    }
  });

  it('are dropped, the oldest first, beyond what is kept, and never while their command runs', async () => {
    const place = join(folder, 'output');
    const outputs = new Outputs(place);
    const running = await outputs.begin({ session: 'R-1-0', round: 1 });
    for (let at = 1; at <= OUTPUT_TRIES_KEPT; at += 1)
      await (await outputs.begin({ session: `R-1-${at}`, round: 1 })).close();
    const names = readdirSync(place);
    expect(names).toHaveLength(OUTPUT_TRIES_KEPT);
    expect(['R-1-0.1', 'R-1-1.1', `R-1-${OUTPUT_TRIES_KEPT}.1`].map((name) => names.includes(name))).toEqual([
      true,
      false,
      true,
    ]);
    await running.close();
  });
});
