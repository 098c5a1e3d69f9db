/**
 * KN1 and KN2: this repository, indexed in a thread beside the main loop, and questions about it once it is. The
 * figures are of speed alone; whether answers are right is a matter of the tests of src/knowledge.
 */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { knowledgeOf } from '../../dist/knowledge/knowledge.js';
import { inTurn } from '../rounds.mjs';
import { latency } from '../statistics.mjs';

const ROOT = join(import.meta.dirname, '../..');

/** Milliseconds between two ticks of the main loop, which are the finest that Node has. */
const TICK_MS = 1;

/** The processor time of the thread that reads it, in nanoseconds, then other figures. Linux has it. */
const THREAD_TIME = '/proc/thread-self/schedstat';

/** A step through the questions with which neighbours are of several kinds, and none is left out. */
const QUESTION_STEP = 7;

export const knowledgeIndex = {
  name: 'KN1',
  title: 'The index of a repository',
  about: ({ folder }) =>
    `**index**: \`knowledgeOf\` reads ${nameOf(folder)} in a thread of its own, until its first complete answer. ` +
    `**idle**: nothing for as long. Meanwhile the main loop has a timer of ${TICK_MS} ms. **turn**: the most ` +
    'processor time that the thread of the main loop had between two ticks, which other work on the machine does not ' +
    'lengthen. **longest**: how late a tick was by the clock, that millisecond included, which it does lengthen. ' +
    '**cpu**: of the whole process. **thread heap**: after a collection.',
  sizes: { full: { folder: '.' }, quick: { folder: 'docs' } },
  ratios: [
    {
      name: 'longest stop of the main loop by the index, processor time',
      of: ({ index }) => index.turnMs,
      atMost: 10,
      unit: ' ms',
    },
    {
      name: 'longest stop of the main loop by the clock, index / idle',
      of: ({ index, idle }) => index.longestMs / idle.longestMs,
    },
    { name: 'time until the first complete answer', of: ({ index }) => index.ms / 1_000, unit: ' s' },
  ],

  check() {
    try {
      threadMs();
    } catch (error) {
      throw new Error(`KN1 needs ${THREAD_TIME}, which only Linux has: ${error.message}`);
    }
  },

  open({ folder }) {
    // In the first round the index comes first.
    let lastMs = 0;
    const index = async () => {
      const rssBefore = process.memoryUsage.rss();
      let knowledge;
      const watched = await beside(async () => {
        knowledge = indexOf(folder);
        await knowledge.refresh();
        const { complete } = await knowledge.retrieve(QUESTIONS[0]);
        if (!complete) throw new Error('the answer after a refresh is not complete');
      });
      lastMs = watched.ms;
      const { files, passages, bytes } = (await knowledge.report()).folders[0];
      const rssGrownMb = (process.memoryUsage.rss() - rssBefore) / 2 ** 20;
      const threadHeapMb = await heapOfThreadMb();
      await knowledge.close();
      return { ...watched, files, passages, readMb: bytes / 2 ** 20, threadHeapMb, rssGrownMb };
    };
    return { subject: index, round: inTurn({ index, idle: () => beside(() => delay(lastMs)) }), close: () => {} };
  },
};

export const knowledgeQuestions = {
  name: 'KN2',
  title: 'A question on a warm index',
  about: ({ folder, questions, callers }) =>
    `${questions} questions, ${QUESTIONS.length} different ones, put to \`knowledgeOf\` after it has read ` +
    `${nameOf(folder)}: with options, without, and some that nothing in it answers. **one**: one after the other. ` +
    `**several**: ${callers} callers at a time, so that a question waits for those before it. ` +
    '**cpu**: the processor time of one question, in both threads, which other work on the machine hardly lengthens.',
  sizes: {
    full: { folder: '.', questions: 300, callers: 10 },
    quick: { folder: 'docs', questions: 30, callers: 3 },
  },
  ratios: [
    { name: 'one question at a time, p99', of: ({ one }) => one.p99Ms, atMost: 100, unit: ' ms' },
    { name: 'one question at a time, p99 of its processor time', of: ({ one }) => one.cpuP99Ms, unit: ' ms' },
    { name: 'several callers, p99', of: ({ several }) => several.p99Ms, unit: ' ms' },
    { name: 'several callers / one, questions a second', of: ({ several, one }) => several.perSecond / one.perSecond },
  ],

  async open({ folder, questions: count, callers }) {
    const knowledge = indexOf(folder);
    await knowledge.refresh();
    const questions = Array.from({ length: count }, (_, at) => QUESTIONS[(at * QUESTION_STEP) % QUESTIONS.length]);
    const one = async () => {
      const { times, cpuTimes, perSecond } = await asked(knowledge, questions, 1);
      const { p50Ms: cpuP50Ms, p99Ms: cpuP99Ms } = latency(cpuTimes);
      return { ...latency(times), cpuP50Ms, cpuP99Ms, perSecond };
    };
    const several = async () => {
      const { times, perSecond } = await asked(knowledge, questions, callers);
      return { ...latency(times), perSecond };
    };
    return {
      subject: one,
      round: inTurn({ one, several }),
      close: () => knowledge.close(),
    };
  },
};

function nameOf(folder) {
  return folder === '.' ? 'this repository' : folder;
}

function indexOf(folder) {
  return knowledgeOf([{ scope: 'bosun', path: join(ROOT, folder) }], { watch: false });
}

/**
 * Asks all questions, some at a time.
 *
 * @returns Their times, the processor time of the process meanwhile, which is a question's own with one caller, and
 *   the rate.
 */
async function asked(knowledge, questions, callers) {
  const [times, cpuTimes] = [[], []];
  let next = 0;
  let found = 0;
  const caller = async () => {
    while (next < questions.length) {
      const question = questions[next++];
      const cpu = process.cpuUsage();
      const startMs = performance.now();
      const { evidence, complete } = await knowledge.retrieve(question);
      times.push(performance.now() - startMs);
      const { user, system } = process.cpuUsage(cpu);
      cpuTimes.push((user + system) / 1_000);
      if (!complete) throw new Error('an answer of the warm index is not complete');
      if (evidence.length > 0) found += 1;
    }
  };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  const perSecond = (questions.length * 1_000) / (performance.now() - startMs);
  // An empty index would be fast.
  if (found < questions.length / 2) throw new Error(`${found} of ${questions.length} questions have evidence`);
  return { times, cpuTimes, perSecond };
}

/** Does work while the main loop ticks. @returns Its time and processor time, and the longest stops of the loop. */
async function beside(work) {
  const delays = monitorEventLoopDelay({ resolution: TICK_MS });
  let turnMs = 0;
  let lastMs = threadMs();
  const look = () => {
    const nowMs = threadMs();
    turnMs = Math.max(turnMs, nowMs - lastMs);
    lastMs = nowMs;
  };
  const ticks = setInterval(look, TICK_MS);
  delays.enable();
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  try {
    await work();
    const ms = performance.now() - startMs;
    const { user, system } = process.cpuUsage(cpu);
    look();
    const cpuMs = (user + system) / 1_000;
    return { ms, cpuMs, turnMs, longestMs: delays.max / 1e6, lateP99Ms: delays.percentile(99) / 1e6 };
  } finally {
    delays.disable();
    clearInterval(ticks);
  }
}

const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));

/**
 * Milliseconds of a processor that this thread has had. It sleeps first, because Linux counts when a thread leaves its
 * core, and else only some hundred times a second.
 */
function threadMs() {
  Atomics.wait(NEVER_WOKEN, 0, 0, 0.01);
  const [nanoseconds] = readFileSync(THREAD_TIME, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Megabytes that the only other thread of this process holds, by its inspector: a host has no other way to it. */
async function heapOfThreadMb() {
  const session = new Session();
  session.connect();
  // Neither the inspector nor an index without a question keeps a process alive.
  const alive = setInterval(() => {}, 1_000);
  try {
    const attached = new Promise((resolve) => session.once('NodeWorker.attachedToWorker', resolve));
    await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
    const { sessionId } = (await attached).params;
    const ask = async (id, method) => {
      const answered = new Promise((resolve) => session.once('NodeWorker.receivedMessageFromWorker', resolve));
      await session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method }) });
      return JSON.parse((await answered).params.message).result;
    };
    await ask(1, 'HeapProfiler.collectGarbage');
    return (await ask(2, 'Runtime.getHeapUsage')).usedSize / 2 ** 20;
  } finally {
    session.disconnect();
    clearInterval(alive);
  }
}

/** Questions about this repository: choices with their options, open ones, and some that it does not answer. */
const QUESTIONS = [
  ...[
    ['Which library checks the events of an agent?', ['zod', 'joi', 'ajv']],
    ['Which database keeps the durable state?', ['LevelDB', 'SQLite', 'Postgres']],
    ['Which library finds passages of a text?', ['minisearch', 'lunr', 'flexsearch']],
    ['Which runner do the tests have?', ['vitest', 'jest', 'mocha']],
    ['Which tool formats the sources?', ['biome', 'prettier']],
    ['Which linter checks the sources?', ['eslint', 'tslint', 'oxlint']],
    ['How are records encoded in the store?', ['msgpackr', 'JSON', 'protobuf']],
    ['Which library serves connections of browsers?', ['ws', 'socket.io']],
    ['Which package manager installs the dependencies?', ['npm', 'pnpm', 'yarn']],
    ['Which library are the machines of agents written with?', ['xstate', 'robot3']],
    ['Which library verifies tokens?', ['jose', 'jsonwebtoken']],
    ['Which tool finds exports that nobody uses?', ['knip', 'ts-prune']],
    ['Which strategy restarts only the child that failed?', ['one_for_one', 'one_for_all', 'rest_for_one']],
    ['Which durability waits for the disk?', ['process', 'disk']],
    ['Which browser tests the page?', ['chromium', 'firefox', 'webkit']],
    ['Which language are new modules written in?', ['TypeScript', 'JavaScript']],
    ['Does a failed start count against the intensity?', ['yes', 'no']],
    ['Is a folder that git ignores read?', ['yes', 'no']],
    ['Which framework is the gateway compared with?', ['fastify', 'express', 'koa', 'hapi']],
    ['Which file do the goals of the benchmark stand in?', ['docs/benchmarks.md', 'README.md']],
  ].map(([question, options]) => ({ question, options })),
  ...[
    'Is the license MIT or Apache-2.0?',
    'Should unions be enums or string literals?',
    'Named exports or default exports in src?',
    'Is a killed worker restarted or given up?',
    'Which version of Node is needed?',
    'Which version has the package?',
    'How many questions may wait for the search thread at the same time?',
    'How long does the reader wait for git before it walks the folder?',
    'How large may a file be that is read?',
    'How many files of one folder are read at most?',
    'How long does the thread wait after a change before it reads a file again?',
    'How often is a search thread that died started again?',
    'How many pieces of evidence has an answer at most?',
    'How many characters may an excerpt have?',
    'How many lines may a function have?',
    'At how many columns are the sources formatted?',
    'Where do decision records go?',
    'Where are the stores of the benchmark kept?',
    'Where does a new restart strategy go?',
    'Which command runs the benchmark?',
    'Which variable chooses the seed of the tests?',
    'How many minutes do all steps of .ci/run have together?',
    'How large is the young generation that the launcher sets?',
    'How many rounds does the benchmark measure?',
    'What happens to the children when their supervisor gives up?',
    'Why does the index live in a thread of its own?',
    'When is a ticket escalated to a person?',
    'Who may reply to a ticket?',
  ].map((question) => ({ question })),
  ...[
    'What is the phone number of the office in Lisbon?',
    'Who pays the invoices of the cloud provider?',
    'Which region hosts the replica of the warehouse?',
    'How many customers signed up in March?',
    'What does a seat of the enterprise tariff cost?',
    'Which airline do employees fly with?',
    'How long is the parental leave?',
    'Which Kubernetes namespace runs the nightly cron jobs?',
    'What was the revenue of the third quarter?',
    'Which font has the letterhead?',
  ].map((question) => ({ question })),
  { question: 'Which provider charges credit cards?', options: ['Stripe', 'Adyen', 'PayPal'] },
  { question: 'Which broker carries the orders of the shop?', options: ['Kafka', 'RabbitMQ'] },
];
