/** Knowledge of folders through its thread: at once, while it is read, and after it has changed. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BosunError } from '../../src/errors.ts';
import { type Knowledge, knowledgeOf } from '../../src/knowledge/knowledge.ts';
import { evidenceSchema } from '../../src/machines/answers/evidence.ts';
import { quotedAnswer } from '../../src/machines/answers/quoting.ts';
import { LONG } from '../support/effort.ts';
import { fixtureFolder, folderWith, gitIn, knowing } from '../support/knowledge/folders.ts';
import { longestTurnOf } from '../support/processor-time.ts';
import { until } from '../support/until.ts';

/** Enough files to be still reading when the first question arrives. */
function manyFiles(count: number): Record<string, string> {
  const text = 'The service keeps orders and sends letters.\n\n'.repeat(20);
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`docs/${index}.md`, `# Page ${index}\n\n${text}`]),
  );
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: BosunError) => error.code,
  );
}

/** Asks until an answer fits: what a watcher hears, it hears in its own time. */
async function eventually<T>(ask: () => Promise<T>, isFit: (answer: T) => boolean): Promise<T> {
  let answer!: T;
  await until(
    async () => isFit((answer = await ask())),
    () => `a fitting answer, after: ${JSON.stringify(answer)}`,
  );
  return answer;
}

const question = 'How long are backups of the database kept?';
const answerOf = async (knowledge: Knowledge) => {
  const { evidence, complete } = await knowledge.retrieve({ question });
  return quotedAnswer({ evidence, isComplete: complete });
};

describe('knowledge', () => {
  it('AT-006: finds evidence in a folder, with the file and line that says it', async () => {
    const knowledge = knowing([{ scope: 'parcels', path: fixtureFolder('parcels') }]);
    await knowledge.refresh();
    const { evidence, complete } = await knowledge.retrieve({ question, limit: 5 });
    expect(complete).toBe(true);
    expect(evidence[0]).toMatchObject({
      kind: 'declared',
      source: { scope: 'parcels', file: 'docs/operations.md', line: 15, type: 'prd' },
      speaksFor: '35 days',
    });
    expect(evidence.length).toBeLessThanOrEqual(5);
    for (const piece of evidence) evidenceSchema.parse(piece);
  });

  it('answers while it reads, and marks the answer as incomplete', async () => {
    const knowledge = knowing([{ scope: 'many', path: folderWith(manyFiles(600)) }]);
    const early = await knowledge.retrieve({ question: 'Which letters are sent?' });
    expect(early.complete).toBe(false);
    expect((await knowledge.refresh()).folders[0]!.files).toBe(600);
    expect((await knowledge.retrieve({ question: 'Which letters are sent?' })).complete).toBe(true);
  });

  it('searches the requested scopes, or all by default', async () => {
    const knowledge = knowing([
      { scope: 'parcels', path: fixtureFolder('parcels') },
      { scope: 'clinic', path: fixtureFolder('clinic') },
    ]);
    await knowledge.refresh();
    const scopesOf = async (scopes: string[] | null) => {
      const { evidence } = await knowledge.retrieve({ question: 'Fastify or FastAPI for HTTP?', scopes });
      return [...new Set(evidence.map(({ source }) => source.scope))].sort();
    };
    expect(await scopesOf(null)).toEqual(['clinic', 'parcels']);
    expect(await scopesOf(['clinic'])).toEqual(['clinic']);
    expect(await scopesOf(['nowhere'])).toEqual([]);
  });

  it('never shows a secret, and counts the blanked lines', async () => {
    const secrets = { '.env': 'PAYMENT_PROVIDER=adyen\n', 'a.yaml': 'provider: ours\npassword: s3cr3t-hunter1\n' };
    const knowledge = knowing([{ scope: 'shop', path: folderWith(secrets) }]);
    const { folders } = await knowledge.refresh();
    expect(folders[0]).toMatchObject({ leftOut: { secret: { count: 1, files: ['.env'] } }, blankedLines: 1 });
    const { evidence } = await knowledge.retrieve({ question: 'Which payment provider: adyen or s3cr3t-hunter?' });
    expect(JSON.stringify(evidence)).not.toMatch(/s3cr3t|adyen"/);
  });

  it('reads changed files again on request', async () => {
    const folder = fixtureFolder('parcels');
    const knowledge = knowing([{ scope: 'parcels', path: folder }]);
    const before = await knowledge.refresh();
    writeFileSync(join(folder, 'docs/operations.md'), 'Backups of the database are kept for 7 weeks.\n');
    rmSync(join(folder, 'README.md'));
    const { folders } = await knowledge.refresh();
    expect((await answerOf(knowledge)).leading).toBe('49 days');
    expect(folders[0]!.files).toBe(before.folders[0]!.files - 1);
  });

  it('notices changes, new folders and removed files by itself', async () => {
    const folder = folderWith({ 'docs/a.md': 'Backups of the database are kept for 5 days.\n' });
    gitIn(folder, 'init', '-q');
    const knowledge = knowing([{ scope: 'x', path: folder }], { watch: true });
    expect((await knowledge.refresh()).isWatching).toBe(true);
    writeFileSync(join(folder, 'docs/a.md'), 'Backups of the database are kept for 9 days.\n');
    await eventually(
      () => answerOf(knowledge),
      ({ leading }) => leading === '9 days',
    );
    rmSync(join(folder, 'docs/a.md'));
    await eventually(
      () => answerOf(knowledge),
      ({ leading }) => leading === null,
    );
    mkdirSync(join(folder, 'ops/deep'), { recursive: true });
    writeFileSync(join(folder, 'ops/deep/b.md'), 'Backups of the database are kept for 11 days.\n');
    await eventually(
      () => answerOf(knowledge),
      ({ leading }) => leading === '11 days',
    );
  });

  it('refuses a missing folder, or a file in its place, and names the path', () => {
    const folder = folderWith({ 'a.md': 'a' });
    for (const path of [join(folder, 'nowhere'), join(folder, 'a.md')]) {
      expect(() => knowledgeOf([{ scope: 'x', path }])).toThrow(
        expect.objectContaining({ code: 'BOSUN_KNOWLEDGE_FOLDER', details: { path } }),
      );
    }
  });

  it('refuses invalid options and questions with a message', async () => {
    const folder = folderWith({ 'a.md': 'a' });
    expect(() => knowledgeOf([{ scope: 'x', path: folder }], { wach: true } as never)).toThrow('did you mean "watch"');
    const knowledge = knowing([{ scope: 'x', path: folder }]);
    for (const wrong of [
      { question: '' },
      { question: 'a', limit: 0 },
      { question: 'a', limit: 51 },
      { question: 'a'.repeat(4_001) },
    ])
      expect(await codeOf(knowledge.retrieve(wrong))).toBe('BOSUN_CONFIG_INVALID');
    expect(await codeOf(knowledge.retrieve({ question: 'a'.repeat(4_000), limit: 50 }))).toBe('none');
  });

  it('rejects open and later questions once it is closed', async () => {
    const knowledge = knowing([{ scope: 'many', path: folderWith(manyFiles(300)) }]);
    const open = codeOf(knowledge.refresh());
    await knowledge.close();
    expect(await open).toBe('BOSUN_KNOWLEDGE_CLOSED');
    expect(await codeOf(knowledge.retrieve({ question: 'a' }))).toBe('BOSUN_KNOWLEDGE_CLOSED');
  });

  it('drops a question whose signal is aborted', async () => {
    const knowledge = knowing([{ scope: 'x', path: folderWith({ 'a.md': 'a' }) }]);
    const aborting = new AbortController();
    const answer = knowledge.retrieve({ question }, { signal: aborting.signal });
    aborting.abort(new Error('too late'));
    await expect(answer).rejects.toThrow('too late');
    await expect(knowledge.retrieve({ question }, { signal: aborting.signal })).rejects.toThrow('too late');
    expect(await codeOf(knowledge.retrieve({ question }))).toBe('none');
  });

  it('refuses questions beyond the limit of waiting ones', async () => {
    const knowledge = knowing([{ scope: 'x', path: folderWith({ 'a.md': 'a' }) }]);
    const asked = Array.from({ length: 1_001 }, () => codeOf(knowledge.retrieve({ question })));
    expect((await Promise.all(asked)).filter((code) => code !== 'none')).toEqual(['BOSUN_KNOWLEDGE_FULL']);
  });

  it('gives up a thread that repeatedly fails to start, with the reason', async () => {
    const entry = new URL(`data:text/javascript,${encodeURIComponent('throw new Error("no thread today")')}`);
    const knowledge = knowing([{ scope: 'x', path: folderWith({ 'a.md': 'a' }) }], { entry });
    await expect(knowledge.refresh()).rejects.toThrow('no thread today');
    await eventually(
      () => codeOf(knowledge.retrieve({ question })),
      (code) => code === 'BOSUN_KNOWLEDGE_FAILED',
    );
  });

  it('never blocks the event loop of its host while it reads and answers', LONG, async () => {
    const path = folderWith(manyFiles(300));
    const readAndAsk = async () => {
      const knowledge = knowing([{ scope: 'x', path }]);
      const built = knowledge.refresh();
      for (let asked = 0; asked < 20; asked += 1) await knowledge.retrieve({ question });
      await built;
      await knowledge.close();
    };
    const longest: number[] = [];
    // The first run compiles; a piece of work that is too long would be so in every run.
    for (let run = 0; run < 4; run += 1) longest.push(await longestTurnOf(readAndAsk));
    // It is a tenth; half a reference takes some 30 ms of a quiet core.
    expect(Math.min(...longest)).toBeLessThan(0.5);
  });
});
