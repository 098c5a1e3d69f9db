/**
 * Procedures of the crew, for every door of a gateway: how a plan stands, which questions wait for people, and a
 * person's answer to one. They read what the desks keep; the gate desk itself decides about an answer.
 */
import { z } from 'zod';
import { type DurableReader, procedure, type Procedures } from './actors/api/procedure.ts';
import { ticketProcedures } from './crew-tickets.ts';
import { BosunError, isBosunError } from './errors.ts';
import { type Shown, type TableView, type WholeView } from './table.ts';
import { wholeTable } from './whole-tables.ts';
import { type GateDeskContext, gatesIn } from './machines/people/gates/gate-desk.ts';
import { type GateQuestion, gateAnswer } from './machines/people/gates/gate.ts';
import { listed } from './machines/rules/desk.ts';
import { DESKS } from './machines/desks.ts';
import { type CoordinatorContext, itemsIn } from './machines/coordination/coordinator/coordinator-context.ts';
import { type ItemProgress } from './machines/coordination/coordinator/progress.ts';
import { type PauseManagerContext } from './machines/coordination/pauses/pause-messages.ts';
import { planIndexOf } from './machines/coordination/plan/plan-index.ts';

/** Most items and gates in one answer. */
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
  reason: z.string().nullable().describe('Why it is not running.'),
  pause: pause.nullable(),
});

const gate = z.looseObject({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  phase: z.string(),
  audience: z.array(z.string()),
  isOver: z.boolean(),
});

const aGate = {
  ...{ id: 'G4:AAPL', kind: 'G4', title: 'Sign off', phase: 'open', audience: ['ada'], isOver: false },
};

/** The procedures of a crew by name, for the gateway's option `procedures`. */
export const crewProcedures = {
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
  'crew.gates': procedure({
    means:
      'Questions that wait for people, the oldest first; with `gate` one of them, with the material for the decision ' +
      'and the form of its answer.',
    params: z.object({
      gate: z.string().optional().describe('The id of one gate.'),
      isOpen: z.boolean().default(true).describe('Only those that wait for an answer.'),
      limit,
    }),
    result: z.object({ gates: z.array(gate) }),
    example: { p: {}, r: { gates: [aGate] } },
    mcp: { tool: 'list_gates', profiles: ['coder', 'hub'] },
    async read({ gate: id, isOpen, limit: most }, reader) {
      const { context } = await reader.actor(DESKS.gates);
      const shown = context as Shown<GateDeskContext>;
      const [open, ended] = await Promise.all([
        restOf(reader, { address: DESKS.gates, table: 'open', part: shown.open }),
        restOf(reader, { address: DESKS.gates, table: 'ended', part: shown.ended }),
      ]);
      const all = gatesIn({ open, ended }, id === undefined && isOpen ? { isOpen } : {});
      const gates = all
        .filter((one) => id === undefined || one.id === id)
        .slice(0, most)
        .map(({ askedBy: _, ...one }) => listed(one));
      if (id === undefined) return { gates };
      return { gates: await Promise.all(gates.map(async (one) => ({ ...one, ...(await materials(reader, one.id)) }))) };
    },
  }),
  'crew.answerGate': procedure({
    means: 'A person answers a question of the crew in the requested form. Refused for whoever was not asked.',
    params: gateAnswer.omit({ by: true }).extend({
      by: z.string().min(1).max(200).optional().describe('The person who answers; default: the one who calls.'),
    }),
    result: z.object({ taken: z.boolean(), problems: z.array(z.string()) }),
    example: {
      p: { gate: 'G4:AAPL', by: 'ada', answer: { decision: 'approve' } },
      r: { taken: true, problems: [] },
    },
    mcp: { tool: 'answer_gate', profiles: ['coder', 'hub'], isForPeople: true },
    ask: ({ gate: id, answer, by }, { id: caller, person = caller }) => ({
      address: DESKS.gates,
      event: { type: 'gate.answer', gate: id, answer, by: by ?? person },
    }),
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
    pause: manager === null || phase === 'running' ? null : await pauseOf(reader, name),
  };
}

async function pauseOf(reader: DurableReader, name: string) {
  const record = (await contextAt<PauseManagerContext>(reader, `${DESKS.pauses}/${name}`))?.record ?? null;
  if (record === null) return null;
  const { id, status, trigger, pausedAtMs } = record;
  return { id, status, trigger, pausedAtMs };
}

/** The material and the form of an open gate; empty for a closed one. */
async function materials(reader: DurableReader, id: string): Promise<object> {
  const open = await contextAt<{ readonly question: GateQuestion }>(reader, `${DESKS.openGates}/${id}`);
  return open === undefined ? {} : { package: open.question.package, form: open.question.form };
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
