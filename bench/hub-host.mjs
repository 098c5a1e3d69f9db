/**
 * A host of hubs whose Coordinator is a function and whose spokes are functions or commands, with a counter beside
 * them, on LevelDB with sync.
 */
import { rm } from 'node:fs/promises';
import { assign, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { hubCrew } from '../dist/crew.js';
import { createSystem, defineAgent, reply } from '../dist/index.js';
import { watchedStore } from './stores.mjs';

/** The hand-off of every spoke. Its role changes no files, so many may run at once. */
export const HANDOFF = {
  handoff: { outcome: 'complete', recommended: 'Architect', reason: 'what the plan asks for is found out' },
};
const ROLE = 'Researcher';
const TASK = 'Find out what the plan asks for.';

const PAGE = 1_000;

const counter = defineAgent({
  name: 'counter',
  machine: setup({}).createMachine({
    context: { count: 0 },
    on: {
      add: {
        actions: [
          assign({ count: ({ context }) => context.count + 1 }),
          enqueueActions(({ enqueue }) => enqueue(reply(({ context }) => ({ count: context.count })))),
        ],
      },
    },
  }),
  events: { add: z.object({}) },
});

/** A host on an empty store. Its runs are one after the other. */
export class HubHost {
  #system;
  #seen;
  #functions;
  #runs = 0;

  static async open(directory, ports = {}) {
    await rm(directory, { recursive: true, force: true });
    const host = new HubHost(directory, ports);
    await host.#system.start();
    return host;
  }

  /** @param ports What runs the commands of spokes, if any are. */
  constructor(directory, ports) {
    const { store, seen } = watchedStore(directory);
    const { agents, tree } = hubCrew({
      ...ports,
      functions: {
        coordinate: (session, tools) => this.#functions.coordinate(session, tools),
        work: (session) => this.#functions.work(session),
      },
    });
    const children = [...tree.children, { id: 'counter', agent: 'counter' }];
    this.#seen = seen;
    this.#system = createSystem({ agents: [...agents, counter], tree: { ...tree, children }, store });
  }

  /** The counters of the store. */
  get seen() {
    return this.#seen;
  }

  get system() {
    return this.#system;
  }

  /**
   * Runs a hub until it is over.
   *
   * @param coordinate Decides in the hub; it is given the tools of its session and the id of the plan.
   * @param work Is the work of each spoke.
   * @param does The agent of the spokes; default: the function `work`.
   */
  async run({ spawns, concurrent, coordinate, work, does = { kind: 'function', name: 'work' } }) {
    this.#runs += 1;
    const plan = `WP-${this.#runs}`;
    this.#functions = {
      coordinate: (_, tools) => coordinate(tools, plan),
      work: (session) => work(session),
    };
    const over = await this.#nextEnd();
    const { taken, problems } = await this.#system.ask('hubs', {
      ...{ type: 'hub.start', plan, about: { title: 'Mend the shop' }, workspace: '/shop' },
      agents: { [ROLE]: { does } },
      decides: { kind: 'function', name: 'coordinate' },
      limits: { spawns, concurrent },
    });
    if (!taken) throw new Error(`hub.start: ${problems.join('; ')}`);
    const closed = await over.promise;
    if (closed.status !== 'completed') throw new Error(`the run is ${closed.status}: ${closed.because}`);
    await this.#checkLineage(plan, spawns);
  }

  /** The next end of a run, listened for from now on. */
  async #nextEnd() {
    const hubs = await this.#system.actor('hubs');
    const promise = new Promise((resolve) => {
      const listening = hubs.on('hub.closed', (event) => {
        listening.unsubscribe();
        resolve(event);
      });
    });
    return { promise };
  }

  /** Throws unless the lineage has every session once. */
  async #checkLineage(plan, spawns) {
    const sessions = new Set();
    for (let after = 0; after !== null; ) {
      const page = await this.#system.records.list(`work-plans/${plan}`, 'lineage', { after, limit: PAGE });
      for (const { value } of page.records) sessions.add(value.session);
      after = page.next;
    }
    if (sessions.size !== spawns) throw new Error(`${sessions.size} of ${spawns} sessions have handed off`);
  }

  stop() {
    return this.#system.stop();
  }
}

/** Has a hub spawn a session, and waits until it has closed. A refusal is a failure of the row. */
export async function runSession(tools, key) {
  const { outcome, problems } = await tools.run({ key, role: ROLE, task: TASK });
  if (outcome !== 'done') throw new Error(`session ${key} is ${outcome}: ${problems.join('; ')}`);
}
