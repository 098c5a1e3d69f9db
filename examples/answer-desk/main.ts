/**
 * Two agents finish a small repository, and ask what it does not tell them. A document answers, then a person, then
 * what she said; when she changes her mind, both are told. The desk is killed in the middle.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BOSUN, Coder, type Reply } from './coder.ts';
import { Shop } from './shop.ts';

const CODES = { euro: 'EUR', franc: 'CHF', dollar: 'USD' };

function say(who: string, what: string): void {
  console.log(`${who.padEnd(9)}${what}`);
}

function said({ status, answer, source, confidence, ticket_id }: Reply): string {
  return answer === null ? `${status}: ${ticket_id} asks a person` : `${answer} [${source}, ${confidence} %]`;
}

/** A person at the command line. */
function ada(shop: Shop, ...args: readonly string[]): void {
  say('ada', `bosun ${args.map((one) => (one.includes(' ') ? `"${one}"` : one)).join(' ')}`);
  const all = [BOSUN, ...args, '--by', 'ada', '--data', 'desk'];
  execFileSync(process.execPath, all, { cwd: shop.folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Writes the currencies that an answer names. */
function edit(shop: Shop, coder: Coder, answer: string): void {
  const codes = Object.entries(CODES).flatMap(([word, code]) => (answer.toLowerCase().includes(word) ? [code] : []));
  shop.write('src/currencies.js', `export const currencies = ${JSON.stringify(codes)};\n`);
  say(coder.name, `src/currencies.js has ${codes.join(' and ')}: ${shop.test()}`);
}

/** The question that a document answers. */
async function byDocument(shop: Shop, coder: Coder): Promise<void> {
  const options = ['8', '12'];
  const reply = await coder.ask('Is the minimum length of a password 8 or 12?', options);
  say(coder.name, said(reply));
  const length = options.find((option) => reply.answer?.startsWith(`${option} `))!;
  shop.write('src/limits.js', `export const passwordLengthMin = ${length};\n`);
  say(coder.name, `src/limits.js has ${length}: ${shop.test()}`);
}

/** Waits for an answer, in calls that each end before a host would end them. */
async function answered(coder: Coder, question: string): Promise<Reply> {
  const reply = await coder.wait(question);
  return reply.status === 'waiting' ? answered(coder, question) : reply;
}

/** The question that only a person can answer. The desk, which the first agent runs, is killed meanwhile. */
async function byPerson(shop: Shop, coder: Coder, reviewer: Coder): Promise<{ coder: Coder; question: string }> {
  const reply = await coder.ask('Which currency do customers pay in?');
  const { question_id: question } = reply;
  say(coder.name, said(reply));
  coder.kill();
  say('', `${coder.name} and the desk are killed`);
  say(reviewer.name, `runs the desk from now on: ${said(await reviewer.wait(question, 0))}`);
  const again = await Coder.start(coder.name, shop.folder);
  const waiting = answered(again, question);
  ada(shop, 'tickets', 'reply', reply.ticket_id!, 'Customers pay in euro only.');
  const last = await waiting;
  say(again.name, said(last));
  edit(shop, again, last.answer!);
  return { coder: again, question };
}

/** A person changes her answer: whoever has it is told with the reply to its next call. */
async function corrected(shop: Shop, question: string, coders: readonly Coder[]): Promise<void> {
  ada(shop, 'answers', 'correct', question, 'Customers pay in euro and franc.', '--yes');
  for (const coder of coders)
    for (const { answer } of (await coder.wait(question, 0)).changed_answers) {
      say(coder.name, `is told: ${answer}`);
      if (coder === coders[0]) edit(shop, coder, answer!);
    }
}

const folder = mkdtempSync(join(tmpdir(), 'bosun-answer-desk-'));
const open = new Set<Coder>();
const start = async (name: string, shop: Shop) => {
  const coder = await Coder.start(name, shop.folder);
  open.add(coder);
  return coder;
};
try {
  const shop = new Shop(folder);
  say('', `a shop: ${shop.test()}`);
  const first = await start('coder', shop);
  await byDocument(shop, first);
  const reviewer = await start('reviewer', shop);
  const { coder, question } = await byPerson(shop, first, reviewer);
  open.add(coder);
  say(reviewer.name, said(await reviewer.ask('In which currency do the customers pay?')));
  await corrected(shop, question, [coder, reviewer]);
} finally {
  for (const coder of open) await coder.close().catch(() => undefined);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
