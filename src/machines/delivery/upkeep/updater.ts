/**
 * The Updater (MX-011, MX-023): looks once a day or week for work that nobody has touched for seven days, and has it
 * merged or withdrawn, or asks its owner. It changes nothing itself: the orchestrator and the Planning Team do, if it
 * is still untouched then. What it has done is on record, with the work itself.
 */
import { z } from 'zod';
import { table, type Table } from '../../../table.ts';
import { UPKEEP_KEPT_MAX } from '../../limits.ts';
import { onNotices, type TicketNotice } from '../../people/tickets/ticket-messages.ts';
import { nameKey } from '../../rules/table-keys.ts';
import { ruledAgent, type Rules, type Turn } from '../../rules/turn.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { askOwner, hasChosen } from '../owner-question.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { count, type Figures } from '../teams/team.ts';
import { type Junk, SCANS_MS, UPKEEP, type UpkeepSettings } from './junk-rules.ts';

export interface UpdaterContext {
  readonly settings: UpkeepSettings;
  readonly figures: Figures;
  /** Junk about which its owner is asked, by its key. */
  readonly asked: Table<Junk>;
  /** The times at which owners wanted to keep something, by its key. */
  readonly kept: Table<number>;
}
type UpdaterTurn = Turn<UpdaterContext>;

/** Owners who are asked after one scan; the others after the next ones. */
const ASKED_MAX = 5;

/** A clean-up on record: what became of the work, why, and the work itself. */
const cleanUp = z.object({
  ...{ atMs: z.number(), key: z.string(), task: z.string(), into: z.string().nullable(), title: z.string() },
  ...{ outcome: z.enum(['merged', 'withdrawn', 'kept', 'touched']), because: z.string() },
  items: z.array(z.looseObject({ title: z.string() })),
});
export type CleanUp = z.output<typeof cleanUp>;

const RULES = {
  'upkeep.begin': arm,
  'upkeep.due': (turn: UpdaterTurn) => {
    const { kept } = turn.context;
    // What was kept is asked about again once it has been left alone for as long.
    for (const [key, atMs] of [...kept.entries()])
      if (atMs <= sinceMs(turn)) turn.assign({ kept: turn.context.kept.delete(key) });
    const scan = { type: 'upkeep.scan', sinceMs: sinceMs(turn), askedBy: turn.self };
    for (const desk of [WORK_DESKS.orchestrator, DELIVERY_DESKS.planning]) turn.send(desk, scan);
    arm(turn);
  },
  'upkeep.found': (turn: UpdaterTurn, { junk }: { readonly junk: readonly Junk[] }) => {
    const { asked, kept, settings } = turn.context;
    const fresh = junk.filter(({ key }) => !asked.has(nameKey(key)) && !kept.has(nameKey(key)));
    if ({ ...UPKEEP, ...settings }.conflictMode === 'user-confirm')
      fresh.slice(0, ASKED_MAX).forEach((one) => ask(turn, one));
    else for (const one of fresh) clear(turn, one, 'nobody has touched it');
  },
  'upkeep.cleared': (turn: UpdaterTurn, { junk, because, isDone, items }: Cleared) =>
    note(turn, junk, isDone ? DONE[junk.kind] : 'touched', because, items),
  ...onNotices((turn: UpdaterTurn, notice: TicketNotice) => {
    const junk = turn.context.asked.get(nameKey(notice.about ?? ''));
    if (junk === undefined || !ENDS.includes(notice.type)) return;
    turn.assign({ asked: turn.context.asked.delete(nameKey(junk.key)) });
    if (notice.type === 'ticket.failed') return;
    if (notice.type === 'ticket.resolved' && hasChosen(notice, WAYS[junk.kind]))
      return clear(turn, junk, `${notice.resolution.by} wants it`);
    turn.assign({ kept: turn.context.kept.set(nameKey(junk.key), turn.nowMs) });
    note(turn, junk, 'kept', `its owner keeps it (${notice.ticket})`, []);
  }),
} satisfies Rules<UpdaterContext>;

const ENDS: readonly TicketNotice['type'][] = ['ticket.resolved', 'ticket.rejected', 'ticket.failed'];
const WAYS = { duplicate: 'merge', held: 'withdraw' } as const;
const DONE = { duplicate: 'merged', held: 'withdrawn' } as const;

type Cleared = Pick<CleanUp, 'because' | 'items'> & Readonly<{ junk: Junk; isDone: boolean }>;

function sinceMs({ nowMs, context: { settings } }: UpdaterTurn): number {
  return nowMs - (settings.junkMs ?? UPKEEP.junkMs);
}

function arm(turn: UpdaterTurn): void {
  const { scan = UPKEEP.scan } = turn.context.settings;
  turn.raise({ type: 'upkeep.due' }, { id: 'scan', delay: SCANS_MS[scan] });
}

function ask(turn: UpdaterTurn, junk: Junk): void {
  const { kind, key, task, into, title, owner } = junk;
  const text =
    into === null ? `It was found behind ${task}, and was never planned.` : `${into} is the same as ${task}.`;
  turn.assign({ asked: turn.context.asked.set(nameKey(key), junk) });
  count(turn, { asked: 1 });
  askOwner(
    turn,
    { id: null, owner, priority: 3 },
    {
      ...{ about: key, creator: 'updater', options: [WAYS[kind], 'keep'], title: `Does anybody need it? ${title}` },
      text: `${text} Nobody has touched it for days.`,
    },
  );
}

function clear(turn: UpdaterTurn, junk: Junk, because: string): void {
  const order = { type: 'upkeep.clear', junk, because, sinceMs: sinceMs(turn), askedBy: turn.self };
  turn.send(junk.kind === 'held' ? DELIVERY_DESKS.planning : WORK_DESKS.orchestrator, order);
}

function note(
  turn: UpdaterTurn,
  junk: Junk,
  outcome: CleanUp['outcome'],
  because: string,
  items: CleanUp['items'],
): void {
  const { key, task, into, title } = junk;
  turn.record('cleanUps', { atMs: turn.nowMs, key, task, into, title, outcome, because, items } satisfies CleanUp);
  count(turn, { [outcome]: 1 });
}

/** The agent of the Updater. Its records `cleanUps` are what became of the work. */
export const updater = ruledAgent({
  name: 'updater',
  rules: RULES,
  entry: { type: 'upkeep.begin' },
  context: (settings: UpkeepSettings): UpdaterContext => ({ settings, figures: {}, asked: table(), kept: table() }),
  records: { cleanUps: { schema: cleanUp, keep: { count: UPKEEP_KEPT_MAX } } },
});
