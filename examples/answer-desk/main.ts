/**
 * Two agents finish a small repository, and ask what it does not tell them. Its documents answer, then a person, then
 * what she said; when she changes her mind, both are told. The desk is killed in the middle.
 *
 * The argument is a folder with a changed copy of `shop`: other documents, other answers, other code.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Agent, say } from './agent.ts';
import { BOSUN, type Reply } from './coder.ts';
import { JOBS, type Job } from './jobs.ts';
import { Shop } from './shop.ts';

/** The answers of a person, by the job about which the desk may ask her. */
const KNOWS: Readonly<Record<keyof typeof JOBS, string>> = {
  library: 'Zod, as in our other services',
  status: '400, since the partners expect it',
  length: '12, the code is outdated',
  currency: 'Customers pay in euro only',
};

interface Taken {
  readonly name: keyof typeof JOBS;
  readonly reply: Reply;
}

/** A person at the command line, in the folder of the shop. */
function ada(shop: Shop, ...args: readonly string[]): void {
  say('ada', `bosun ${args.map((one) => (one.includes(' ') ? `"${one}"` : one)).join(' ')} --by ada`);
  const options = { cwd: shop.folder, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [BOSUN, ...args, '--by', 'ada'], options);
  say('', `${stdout}${stderr}`.trim());
}

/** The agent takes each job, and goes on where a person has to answer. */
async function takeAll(coder: Agent): Promise<readonly Taken[]> {
  const taken: Taken[] = [];
  for (const [name, job] of Object.entries(JOBS) as [Taken['name'], Job][])
    taken.push({ name, reply: await coder.take(job) });
  return taken;
}

/** The first agent is killed, and with it the desk, which its server runs. The second one takes over. */
async function killDesk(coder: Agent, reviewer: Agent, { reply }: Taken): Promise<void> {
  coder.kill();
  say('', `${coder.name} and the desk are killed with -9`);
  say(reviewer.name, `runs the desk from now on, and looks for ${reply.question_id}`);
  await reviewer.look(reply);
  await coder.startAgain();
}

/** A person replies to each ticket, and the agent goes on. */
async function askPeople(shop: Shop, coder: Agent, taken: readonly Taken[]): Promise<void> {
  const open = taken.filter(({ reply }) => reply.ticket_id !== null);
  for (const { name, reply } of open) ada(shop, 'tickets', 'reply', reply.ticket_id!, KNOWS[name]);
  for (const { reply } of open) await coder.finish(reply);
}

/** A person changes an answer. Each agent that has it is told with its next reply, and corrects its code. */
async function changeMind(shop: Shop, { question_id: question }: Reply, users: readonly [Agent, Reply][]) {
  const change = ['answers', 'correct', question, 'Customers pay in euro and franc'];
  ada(shop, ...change);
  ada(shop, ...change, '--yes');
  for (const [agent, reply] of users) await agent.listen(reply);
}

async function tell(shop: Shop, coder: Agent, reviewer: Agent): Promise<void> {
  say('', `the shop: ${shop.test()}`);
  const taken = await takeAll(coder);
  const currency = taken.find(({ name }) => name === 'currency')!;
  await killDesk(coder, reviewer, currency);
  await askPeople(shop, coder, taken);
  const known = await reviewer.ask('In which currency do the customers pay?');
  await changeMind(shop, currency.reply, [
    [coder, currency.reply],
    [reviewer, known],
  ]);
}

const shop = new Shop(process.argv[2] ?? fileURLToPath(new URL('./shop', import.meta.url)));
const agents: Agent[] = [];
try {
  for (const name of ['coder', 'reviewer']) agents.push(await Agent.start(name, shop));
  await tell(shop, agents[0]!, agents[1]!);
} finally {
  for (const agent of agents) await agent.close().catch(() => undefined);
  shop.remove();
}
