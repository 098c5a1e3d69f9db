/**
 * A config with a counter that answers questions, written to the directory in which `bosun` is called. It imports the
 * sources in place of the package.
 */
import { fileURLToPath } from 'node:url';
import { type Workspace } from './workspace.ts';

/** A source file as an import specifier for a generated file. */
export const source = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../../src/${path}`, import.meta.url)));

export const AGENTS = `
import { assign, emit, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from ${source('actors/api/define-agent.ts')};
import { reply } from ${source('actors/model/talk-actions.ts')};

export const counter = defineAgent({
  name: 'counter',
  machine: setup({ types: {} as { context: { count: number } } }).createMachine({
    context: { count: 0 },
    initial: 'open',
    on: { count: { actions: reply(({ context }) => context.count) } },
    states: {
      open: {
        on: {
          add: {
            guard: ({ event }) => event.by !== 0,
            actions: [
              assign({ count: ({ context, event }) => context.count + event.by }),
              emit(({ context }) => ({ type: 'counted', count: context.count })),
            ],
          },
          close: 'closed',
        },
      },
      closed: { on: { slow: 'open', fail: { actions: assign(() => { throw new Error('cannot'); }) } } },
    },
  }),
  events: {
    add: z.object({ by: z.number() }),
    count: z.object({}),
    close: z.object({}),
    slow: z.object({}),
    fail: z.object({}),
  },
});
`;

/** @param gateway Source text of the gateway's settings. */
export function writeShop(work: Workspace, gateway = '{ port: 0 }'): void {
  work.write(
    'bosun.config.ts',
    `${AGENTS}
export default {
  data: './shop',
  agents: [counter],
  tree: {
    intensity: 100,
    children: [
      { id: 'visits', agent: 'counter', restart: 'permanent' },
      { id: 'desk', boss: { children: [{ id: 'visits', agent: 'counter' }] } },
    ],
  },
  gateway: ${gateway},
};
`,
  );
}
