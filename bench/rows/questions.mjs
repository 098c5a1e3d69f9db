/**
 * QU1: what a coding agent waits for at the answer desk of a folder: questions by `tools/call`, over HTTP and over the
 * streams of `bosun mcp`. The figures are of speed alone; every answer counted is one from evidence.
 */
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startDesk } from '../gateway.mjs';
import { questionsAbout, writeFolder } from '../question-folder.mjs';
import { inTurn } from '../rounds.mjs';
import { latency } from '../statistics.mjs';

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js');

/** Seconds that a question may take. None comes near it. */
const WAIT_SECONDS = 30;

export const mcpQuestions = {
  name: 'QU1',
  title: 'A question over MCP, warm index',
  about: ({ files, questions, some, callers }) =>
    `The desk of a folder of ${files.toLocaleString('en')} files, in a process of its own, as \`bosun desk\` runs it ` +
    `but without rates. ${questions} questions a round by \`askQuestion\`, each with two options and no two alike, ` +
    'which are answered from evidence. **one**: one after the other over HTTP. ' +
    `**several**: ${some}, of ${callers} callers at a time, each with a connection; three are worked on at once. ` +
    `**streams**: ${some}, one after the other through \`bosun mcp\`, which hands them on. ` +
    '**serverMsEach**: the processor time ' +
    "of the desk's process for a question, with the thread of the index.",
  sizes: {
    full: { files: 1_000, questions: 120, some: 48, callers: 4 },
    quick: { files: 60, questions: 8, some: 6, callers: 2 },
  },
  ratios: [
    { name: 'one question at a time over HTTP, p99', of: ({ one }) => one.p99Ms, atMost: 150, unit: ' ms' },
    { name: 'one question at a time over HTTP, p50', of: ({ one }) => one.p50Ms, unit: ' ms' },
    { name: 'one question, processor time of the desk', of: ({ one }) => one.serverMsEach, unit: ' ms' },
    { name: 'several callers, p99', of: ({ several }) => several.p99Ms, unit: ' ms' },
    { name: 'one question at a time through bosun mcp, p99', of: ({ streams }) => streams.p99Ms, unit: ' ms' },
  ],

  async open({ files, questions, some, callers }, directory) {
    const [folder, data] = [join(directory, 'shop'), join(directory, 'data')];
    const left = questionsAbout(await writeFolder(folder, files));
    const desk = await startDesk({ folder, data });
    const clients = await Promise.all(Array.from({ length: callers }, () => overHttp(desk.facts.url)));
    const overStreams = await overMcp(folder, data);
    // The first answer waits until the folder is read.
    await ask(clients[0], left.pop());
    const measured = (asking, count) => async () => {
      if (left.length < count) throw new Error('there are no more questions that nobody has asked');
      return asked(desk, asking, left.splice(0, count));
    };
    const one = measured(clients.slice(0, 1), questions);
    return {
      subject: one,
      profiler: desk.profiler,
      round: inTurn({ one, several: measured(clients, some), streams: measured([overStreams], some) }),
      async close() {
        await Promise.all([...clients, overStreams].map((client) => client.close()));
        desk.end();
      },
    };
  },
};

/** Asks all questions, one per client at a time. @returns Their times, and the processor time that the desk took. */
async function asked(desk, clients, questions) {
  const waiting = [...questions];
  const times = [];
  const cpuBefore = (await desk.ask('cpu')).cpuMicros;
  const startMs = performance.now();
  const caller = async (client) => {
    for (let question = waiting.shift(); question !== undefined; question = waiting.shift()) {
      const askedMs = performance.now();
      await ask(client, question);
      times.push(performance.now() - askedMs);
    }
  };
  await Promise.all(clients.map(caller));
  const perSecond = (questions.length * 1_000) / (performance.now() - startMs);
  const serverMsEach = ((await desk.ask('cpu')).cpuMicros - cpuBefore) / 1_000 / questions.length;
  return { ...latency(times), serverMsEach, perSecond };
}

/** Asks one question. Rejects for any other reply than the right answer from the folder. */
async function ask(client, question) {
  const { structuredContent: reply } = await client.callTool({
    name: 'askQuestion',
    arguments: { ...question, max_wait_seconds: WAIT_SECONDS },
  });
  const [right] = question.possible_options;
  if (reply?.status !== 'answered' || !reply.answer.startsWith(`${right} `))
    throw new Error(`${question.question} is not answered right: ${JSON.stringify(reply)}`);
}

function overHttp(url) {
  return connected(new StreamableHTTPClientTransport(new URL('/mcp', url)));
}

/** Starts `bosun mcp` in the folder, where it joins the desk. */
function overMcp(folder, data) {
  const args = [MAIN, 'mcp', '--data', data, '--as', 'bench'];
  return connected(new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'ignore' }));
}

async function connected(transport) {
  const client = new Client({ name: 'bench', version: '0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  return client;
}
