/**
 * Procedures by which people and programs read the gates of a crew, as windows in the order of their deadlines, and
 * answer, withdraw and extend them. The gate desk decides about each order; reading takes no turn.
 */
import { z } from 'zod';
import { type DurableReader, procedure, type Procedures } from './actors/api/procedure.ts';
import { window } from './actors/api/window.ts';
import { isBosunError } from './errors.ts';
import { type GateRecord } from './machines/people/gates/gate-desk.ts';
import { GATE_SOON_MS, placeBehind } from './machines/people/gates/gate-order.ts';
import { strangerProblem } from './machines/people/audience.ts';
import { durationMs, gateAnswer, type GateQuestion } from './machines/people/gates/gate.ts';
import { ENDED_ROWS, OPEN_ROWS } from './machines/rules/records.ts';
import { DESKS } from './machines/desks.ts';

/** How often counts by urgency are read again: time alone makes a gate urgent. */
const COUNTS_EVERY_MS = 60_000;

/** The schema of a gate as its readers see it. */
const shownGate = z.object({
  id: z.string(),
  number: z.int().describe('The order of arrival at the desk.'),
  kind: z.string(),
  title: z.string(),
  item: z.string().nullable(),
  stage: z.string().nullable(),
  proposal: z.string().nullable(),
  phase: z.enum(['opening', 'open', 'reminded', 'answered', 'timedOut', 'withdrawn', 'failed']),
  audience: z.array(z.string()),
  openedAtMs: z.number(),
  deadlineAtMs: z.number().nullable(),
  isOver: z.boolean(),
  result: z
    .looseObject({ outcome: z.string(), answer: z.unknown(), by: z.string().nullable(), closedAtMs: z.number() })
    .nullable(),
  answeredAfterMs: z.number().nullable(),
  lastOrder: z
    .object({ type: z.string(), by: z.string(), reason: z.string().nullable(), atMs: z.number() })
    .nullable()
    .describe('What withdrew or extended it last.'),
  onTimeout: z.string().nullable().describe('What holds if nobody answers.'),
  askedBy: z.string().nullable().describe('The address of the agent that asked.'),
});

/** A gate as its readers see it: a row of the windows of gates. */
export type GateShown = z.output<typeof shownGate>;

const question = z.object({
  package: z.unknown(),
  form: z.record(z.string(), z.unknown()).describe('JSON Schema of the answer.'),
  audience: z.array(z.string()),
  onTimeout: z.object({ name: z.string(), value: z.unknown() }).nullable(),
});

/** A record as a table of the desk shows it. */
type StoredGate = Omit<GateRecord, 'askedBy'> & { readonly askedBy: { readonly actor: string } | null };

const gateId = z.string().min(1).max(100);
const reply = z.object({ taken: z.boolean(), problems: z.array(z.string()) });
const by = z.string().min(1).max(200).optional().describe('The person in whose name; default: the one who calls.');
const reason = z.string().max(2_000).optional();

const filters = {
  audience: z.string().optional().describe('Only those that this person may answer.'),
  kind: z.string().optional(),
};

const aGate: GateShown = {
  ...{ id: 'G4:AAPL', number: 1, kind: 'G4', title: 'Sign off', item: 'AAPL', stage: null, proposal: null },
  ...{ phase: 'open', audience: ['ada'], openedAtMs: 1_767_225_600_000, deadlineAtMs: null, isOver: false },
  ...{ result: null, answeredAfterMs: null, lastOrder: null, onTimeout: null, askedBy: null },
};
const aPage = { rows: { '0 999999999999999 G4:AAPL': aGate }, size: 1, next: null, isReverse: false };
const anOrder = { p: { gate: 'G4:AAPL', by: 'ada' }, r: { taken: true, problems: [] } };

/** Procedures for createGateway, if the system has a gate desk. */
export const gateProcedures = {
  'gates.open': window({
    means: 'Questions that wait for people, by deadline: those without one come last.',
    params: z.object(filters),
    row: shownGate,
    of: { address: DESKS.gates, table: 'rows' },
    range: () => OPEN_ROWS,
    shows: (row: StoredGate, _, wanted) => (isWanted(row, wanted) ? shown(row) : undefined),
    example: { p: {}, r: aPage },
    http: { verb: 'GET', path: '/v1/gates' },
  }),
  'gates.closed': window({
    means: 'Questions that are closed, as many as the desk keeps, those that were asked last first.',
    params: z.object(filters),
    row: shownGate,
    of: { address: DESKS.gates, table: 'rows' },
    range: () => ENDED_ROWS,
    shows: (row: StoredGate, _, wanted) => (isWanted(row, wanted) ? shown(row) : undefined),
    example: { p: {}, r: { ...aPage, rows: { '1 999999999998': aGate } } },
  }),
  'gates.search': window({
    means:
      'Questions to people: those that wait for an answer, by deadline, or with `isOver` those that are closed, with ' +
      '`result`, the answer. With `key`, only those whose id begins with it, by id.',
    params: z.object({ key: z.string().max(100).default(''), isOver: z.boolean().default(false) }),
    row: shownGate,
    of: { address: DESKS.gates, table: ({ key }) => (key === '' ? 'rows' : 'places') },
    range({ key, isOver }) {
      if (key !== '') return { from: key, below: `${key}\u{ffff}` };
      return isOver ? ENDED_ROWS : OPEN_ROWS;
    },
    async shows(stored: string | StoredGate, _, { isOver }, reader) {
      const row = typeof stored === 'string' ? await rowAt<StoredGate>(reader, 'rows', stored) : stored;
      return row?.isOver === isOver ? shown(row) : undefined;
    },
    example: { p: { key: 'G4:' }, r: { ...aPage, rows: { 'G4:AAPL': aGate } } },
    mcp: { tool: 'list_gates', profiles: ['coder', 'hub'] },
  }),
  'gates.counts': procedure({
    means:
      'How many questions wait: those overdue or due within 2 hours (`now`), within 6 hours (`today`), and the ' +
      'others; and how many closed ones the desk keeps.',
    params: z.object({}),
    result: z.object({
      open: z.int(),
      now: z.int(),
      today: z.int(),
      later: z.int(),
      closed: z.int(),
    }),
    window: { address: DESKS.gates, everyMs: COUNTS_EVERY_MS },
    example: { p: {}, r: { open: 3, now: 1, today: 1, later: 1, closed: 12 } },
    read: (_, reader) => countsOf(reader),
  }),
  'gates.get': procedure({
    means: 'One gate, with the material for the decision and the form of its answer while it waits.',
    params: z.object({ gate: gateId }),
    result: z.object({ gate: shownGate.nullable(), question: question.nullable() }),
    window: { address: DESKS.gates },
    http: { verb: 'GET', path: '/v1/gates/{gate}' },
    example: { p: { gate: 'G4:AAPL' }, r: { gate: aGate, question: null } },
    mcp: { tool: 'show_gate', profiles: ['coder', 'hub'], isDetail: true },
    read: ({ gate }, reader) => gateOf(reader, gate),
  }),
  'gates.answer': procedure({
    means: 'A person answers a question of the crew in the requested form. Refused for whoever was not asked.',
    params: gateAnswer.omit({ by: true }).extend({ by }),
    result: reply,
    example: { ...anOrder, p: { ...anOrder.p, answer: { decision: 'approve' } } },
    mcp: { tool: 'answer_gate', profiles: ['coder', 'hub'], isForPeople: true },
    ask: (given, caller) => orderOf('gate.answer', given, caller),
  }),
  'gates.withdraw': procedure({
    means: 'A person of its audience withdraws a question. The agent that asked is told.',
    params: z.object({ gate: gateId, by, reason }),
    result: reply,
    example: anOrder,
    ask: (given, caller) => orderOf('gate.withdraw', given, caller),
  }),
  'gates.extend': procedure({
    means: 'A person of its audience moves the deadline of a question. One without a deadline refuses.',
    params: z.object({ gate: gateId, byMs: durationMs, by, reason }),
    result: reply,
    example: { ...anOrder, p: { ...anOrder.p, byMs: 3_600_000 } },
    ask: (given, caller) => orderOf('gate.extend', given, caller),
  }),
} satisfies Procedures;

function orderOf(
  type: string,
  { by: name, ...given }: { readonly by?: string | undefined },
  { id, person = id }: { readonly id: string; readonly person?: string },
) {
  return { address: DESKS.gates, event: { type, ...given, by: name ?? person } };
}

function isWanted(
  row: StoredGate,
  { audience, kind }: { readonly audience?: string | undefined; readonly kind?: string | undefined },
): boolean {
  const isAsked = audience === undefined || strangerProblem(row.audience, audience) === undefined;
  return isAsked && (kind === undefined || row.kind === kind);
}

/** The row of a gate without the fields that only its desk uses. */
function shown({ ref: _, orders: __, askedBy, audience, result, ...row }: StoredGate): z.input<typeof shownGate> {
  return { ...row, audience: [...audience], result: result && { ...result }, askedBy: askedBy?.actor ?? null };
}

async function countsOf(reader: DurableReader) {
  const [nowEnd, todayEnd] = [GATE_SOON_MS.now, GATE_SOON_MS.today].map((ms) => placeBehind(reader.nowMs + ms));
  const [now, today, open] = await Promise.all([
    reader.table(DESKS.gates, 'rows', { below: nowEnd, limit: 1 }),
    reader.table(DESKS.gates, 'rows', { from: nowEnd, below: todayEnd, limit: 1 }),
    reader.table(DESKS.gates, 'rows', { ...OPEN_ROWS, limit: 1 }),
  ]);
  const later = Math.max(0, open.count - now.count - today.count);
  const closed = open.size - open.count;
  return { open: now.count + today.count + later, now: now.count, today: today.count, later, closed };
}

async function gateOf(reader: DurableReader, id: string) {
  const place = await rowAt<string>(reader, 'places', id);
  const row = place === undefined ? undefined : await rowAt<StoredGate>(reader, 'rows', place);
  const asked = row === undefined || row.isOver ? null : await questionOf(reader, id);
  return { gate: row === undefined ? null : shown(row), question: asked };
}

/** The question of a gate; null before its actor has started and after it has ended. */
async function questionOf(reader: DurableReader, id: string): Promise<z.input<typeof question> | null> {
  try {
    const { context } = await reader.actor(`${DESKS.openGates}/${id}`);
    const asked = (context as { readonly question: GateQuestion } | null)?.question;
    if (asked === undefined) return null;
    const { package: given, form, audience, onTimeout } = asked;
    return { package: given ?? null, form, audience: [...audience], onTimeout };
  } catch (error) {
    if (isBosunError(error, 'BOSUN_ACTOR_UNKNOWN')) return null;
    throw error;
  }
}

async function rowAt<Row>(reader: DurableReader, table: string, key: string): Promise<Row | undefined> {
  const { rows } = await reader.table(DESKS.gates, table, { from: key, limit: 1 });
  return Object.hasOwn(rows, key) ? (rows[key] as Row) : undefined;
}
