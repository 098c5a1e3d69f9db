/**
 * A served answer desk whose team keeps every question until the test lets it go on: its drafts wait for a server of
 * the test. So what the page shows meanwhile is seen without waiting for a time.
 */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { until } from '../until.ts';
import { Served } from './served.ts';

const [BOSUN, CREW] = ['index.js', 'crew.js'].map((file) =>
  JSON.stringify(fileURLToPath(new URL(`../../../dist/${file}`, import.meta.url))),
);

/** Evidence by a word of the question: a declared value, a line that may be about it, and mere words. */
const FOUND = {
  port: { kind: 'declared', file: 'server.json', line: 4, excerpt: '"port": 8080', speaksFor: '8080' },
  retry: { kind: 'declared', file: 'docs/shop.md', line: 9, excerpt: 'Orders are tried again.', valueKind: 'text' },
  currency: { kind: 'mentioned', file: 'docs/shop.md', line: 7, excerpt: 'The currency of customers.', weight: 0.2 },
};

/** The stand-in passes events on to a desk, as agents send them. */
const CONFIG = `
import { enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from ${BOSUN};
import { answerCrew, answerProcedures, ticketProcedures } from ${CREW};

const found = (question) =>
  Object.entries(${JSON.stringify(FOUND)})
    .filter(([word]) => question.includes(word))
    .map(([, { file, line, ...rest }]) => ({
      source: { type: 'code', scope: 'shop', file, line },
      speaksFor: null,
      valueKind: 'option',
      isDeclarative: rest.kind === 'declared',
      coverage: 1,
      weight: 1,
      ...rest,
    }));
const { agents, tree } = answerCrew({
  ports: {
    retrieve: async ({ question }) => ({ evidence: found(question), complete: true }),
    formulate: async ({ bundle: { question }, evidence: [first] }, { signal }) => {
      await fetch(process.env.TEAM_URL, { method: 'POST', body: question, signal });
      return first === undefined
        ? null
        : { answer: first.speaksFor ?? first.excerpt, confidence: null, citations: [first] };
    },
  },
});
const standIn = defineAgent({
  name: 'stand-in',
  machine: setup({}).createMachine({
    on: {
      tell: {
        actions: enqueueActions(({ event: { to, event }, enqueue, system }) => enqueue.sendTo(system.get(to), event)),
      },
    },
  }),
  events: { tell: z.looseObject({}) },
});

export default {
  agents: [...agents, standIn],
  tree: { children: [...tree.children, { id: 'coordinator', agent: 'stand-in' }] },
  gateway: { destructive: true, procedures: { ...answerProcedures, ...ticketProcedures } },
};
`;

export class HeldTeam extends Served {
  readonly #server: Server;
  /** Drafts that wait. */
  readonly #held = new Set<ServerResponse>();
  #isOpen = false;

  static async serve(): Promise<HeldTeam> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const team = new HeldTeam(server);
    team.work.write('bosun.config.mjs', CONFIG);
    return team.start();
  }

  private constructor(server: Server) {
    super([], { TEAM_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
    this.#server = server;
    server.on('request', (_, response) => {
      // A connection that is kept may be closed just as the next question comes.
      response.setHeader('Connection', 'close');
      if (this.#isOpen) return void response.end();
      this.#held.add(response);
      response.on('close', () => this.#held.delete(response));
    });
  }

  /** Waits until the team is at work on a question. */
  atWork(): Promise<void> {
    return until(
      () => this.#held.size > 0,
      () => 'a question at the team',
    );
  }

  /** Lets the team go on, with all questions from now on. */
  letGoOn(): void {
    this.#isOpen = true;
    for (const response of this.#held) response.end();
  }

  /** Keeps questions from now on. */
  hold(): void {
    this.#isOpen = false;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await super[Symbol.asyncDispose]();
  }
}
