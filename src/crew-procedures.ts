/**
 * Procedures of the crew, for every door of a gateway: how a plan stands, its gates (crew-gates.ts) and its tickets
 * (crew-tickets.ts). They read what the desks keep.
 */
import { z } from 'zod';
import { type DurableReader, procedure, type Procedures } from './actors/api/procedure.ts';
import { gateProcedures } from './crew-gates.ts';
import { ticketProcedures } from './crew-tickets.ts';
import { BosunError, isBosunError } from './errors.ts';
import { type Shown, type TableView, type WholeView } from './table.ts';
import { wholeTable } from './whole-tables.ts';
import { DESKS } from './machines/desks.ts';
import { type CoordinatorContext, itemsIn } from './machines/coordination/coordinator/coordinator-context.ts';
import { type ItemProgress } from './machines/coordination/coordinator/progress.ts';
import { type PauseManagerContext } from './machines/coordination/pauses/pause-messages.ts';
import { planIndexOf } from './machines/coordination/plan/plan-index.ts';

/** Most items in one answer. */
const ROWS_MAX = 1_000;

const limit = z.int().min(1).max(ROWS_MAX).default(100);

const pause = z.object({
  id: z.string(),
  status: z.string(),
  trigger: z.string(),
  pausedAtMs: z.number().describe('Kernel time.'),
});

const item = z.object({
  item: z.string(),
  phase: z.string(),
  tasks: z.number(),
  done: z.number(),
  running: z.array(z.string()),
  failed: z.array(z.object({ task: z.string(), error: z.string() })),
  gates: z.array(z.string()).describe('Ids of the questions that it waits for.'),
  tickets: z.array(z.string()).default([]).describe('Ids of the tickets for whose answer its tasks wait.'),
  reason: z.string().nullable().describe('Why it is not running.'),
  pause: pause.nullable(),
});

/** The procedures of a crew by name, for the gateway's option `procedures`. */
export const crewProcedures = {
  ...gateProcedures,
  ...ticketProcedures,
  'crew.plan': procedure({
    means: 'How the plan stands: each item with its phase, its tasks, what it waits for, and its pause.',
    params: z.object({ after: z.string().optional().describe('`next` of the previous page.'), limit }),
    result: z.object({
      plan: z.string(),
      state: z.unknown(),
      items: z.array(item),
      next: z.string().nullable(),
    }),
    example: {
      p: {},
      r: {
        plan: 'research',
        state: 'working',
        items: [
          {
            ...{ item: 'AAPL', phase: 'paused', tasks: 4, done: 1, running: [], failed: [], gates: [] },
            reason: 'provider is down',
            pause: { id: 'AAPL#1', status: 'PAUSED', trigger: 'MANUAL', pausedAtMs: 1_767_225_600_000 },
          },
        ],
        next: null,
      },
    },
    mcp: { tool: 'show_plan', profiles: ['coder', 'hub'] },
    read: ({ after, limit: most }, reader) => planIn(reader, after, most),
  }),
} satisfies Procedures;

async function planIn(reader: DurableReader, after: string | undefined, most: number) {
  const { value, context } = await reader.actor(DESKS.coordinator).catch((error: unknown) => {
    if (!isBosunError(error, 'BOSUN_ACTOR_UNKNOWN')) throw error;
    throw new BosunError('BOSUN_ACTOR_UNKNOWN', 'this system has no plan; start one with bosun run plan.yaml');
  });
  const shown = context as Shown<CoordinatorContext>;
  const items = await restOf(reader, { address: DESKS.coordinator, table: 'items', part: shown.items });
  const byItem = planIndexOf(shown.plan).byItem;
  const all = [...itemsIn({ ...shown, items })];
  const from = after === undefined ? 0 : all.findIndex(([name]) => name === after) + 1;
  const page = all.slice(from, from + most);
  return {
    plan: shown.plan.name,
    state: value,
    items: await Promise.all(page.map(([name, one]) => itemOf(reader, name, one, byItem.get(name)?.length ?? 0))),
    next: from + most < all.length ? page.at(-1)![0] : null,
  };
}

async function itemOf(reader: DurableReader, name: string, progress: ItemProgress, tasks: number) {
  const { phase, done, running, failed, reason, manager, gates = {} } = progress;
  return {
    ...{ item: name, phase, tasks, done: done.length, running: [...running], failed: [...failed], reason },
    gates: Object.values(gates).flatMap(({ id, state }) => (state === 'waiting' ? [id] : [])),
    tickets: Object.keys(progress.tickets ?? {}),
    pause: manager === null || phase === 'running' ? null : await pauseOf(reader, name),
  };
}

async function pauseOf(reader: DurableReader, name: string) {
  const record = (await contextAt<PauseManagerContext>(reader, `${DESKS.pauses}/${name}`))?.record ?? null;
  if (record === null) return null;
  const { id, status, trigger, pausedAtMs } = record;
  return { id, status, trigger, pausedAtMs };
}

/** The context of an actor; undefined if there is none, or if it has not begun. */
async function contextAt<Context>(reader: DurableReader, address: string): Promise<Context | undefined> {
  try {
    return ((await reader.actor(address)).context ?? undefined) as Context | undefined;
  } catch (error) {
    if (isBosunError(error, 'BOSUN_ACTOR_UNKNOWN')) return undefined;
    throw error;
  }
}

/** A table of an actor with the rows that its view leaves out. */
function restOf<Row>(
  reader: DurableReader,
  { address, table, part }: { readonly address: string; readonly table: string; readonly part: TableView<Row> },
): Promise<WholeView<Row>> {
  // The row's type is that of the view's rows.
  return wholeTable(part, async (from) => (await reader.table(address, table, { from })) as TableView<Row>);
}
