/**
 * The organisation: all hand-offs between teams go through it. It checks the sender and the gates by the table of
 * responsibilities, gives the work to the one accountable, tells each informed party once, and keeps every decision on
 * record. It does no work, and supervises nothing.
 */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { table, type Table } from '../../../table.ts';
import { HANDOFFS_HELD_MAX, HANDOFFS_KEPT_MAX } from '../../limits.ts';
import { numberKey } from '../../rules/table-keys.ts';
import { order, type OrderReply, refused, ruledAgent, type Rules, TAKEN, type Turn } from '../../rules/turn.ts';
import { person } from '../../work/message-schema.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { handoffEntry, type HandoffEntry, type HandoffGiven } from './handoff-messages.ts';
import { type HandoffInformed, type HandoffOffer, type HandoffRefused, type HandoffSeen } from './handoff-messages.ts';
import { RACI, type RaciRow, refusalOf, routeOf, type Sink } from './raci.ts';
import { TEAM_IDS, type TeamId, TEAMS } from './teams.ts';

/** The actors of the informed parties. */
const SINK_ACTORS: Readonly<Record<Sink, string>> = {
  ...{ 'task-queue': WORK_DESKS.orchestrator, orchestrator: WORK_DESKS.orchestrator },
  dashboard: DELIVERY_DESKS.dashboard,
};

export interface OrganisationContext {
  readonly raci: readonly RaciRow[];
  /** Number of hand-offs so far, refused ones included. */
  readonly handoffs: number;
  /** Hand-offs that took place, by row of the table. */
  readonly counts: Readonly<Record<string, number>>;
  /** Teams that get nothing new for now. */
  readonly drained: readonly TeamId[];
  /** Hand-offs to drained teams, by number. */
  readonly held: Table<HandoffGiven & { readonly to: TeamId }>;
}

type OrganisationTurn = Turn<OrganisationContext>;

const drain = z.object({ team: z.enum(TEAM_IDS), isDrained: z.boolean(), by: person });

const RULES = {
  'handoff.offer': offer,
  'org.set': order(drain, set),
} satisfies Rules<OrganisationContext>;

/** The agent of the organisation. Its records `handoffs` are the log of hand-offs. */
export const organisation = ruledAgent({
  name: 'organisation',
  rules: RULES,
  context: ({ raci = RACI }: { readonly raci?: readonly RaciRow[] }): OrganisationContext => ({
    ...{ raci, handoffs: 0, counts: {}, drained: [], held: table() },
  }),
  records: { handoffs: { schema: handoffEntry, keep: { count: HANDOFFS_KEPT_MAX } } },
});

function offer(turn: OrganisationTurn, { occasion, from, by, item, facts, load = {} }: HandoffOffer): void {
  const number = turn.context.handoffs + 1;
  turn.assign({ handoffs: number });
  const route = routeOf(turn.context.raci, occasion, facts);
  const { row, decisions } = route;
  const because = row === undefined ? refusalOf(route) : strangerIn(turn, row, from, by);
  const isAccepted = because === null;
  const judged = decisions.map((one) => ({ ...one, value: Number.isNaN(one.value) ? null : one.value }));
  const entry: HandoffEntry = {
    ...{ number, atMs: turn.nowMs, item: item.id, title: item.title, occasion, from, isAccepted, because },
    ...{ row: row?.row ?? null, to: isAccepted ? row!.accountable : null, decisions: judged },
  };
  turn.record('handoffs', entry);
  const refusal: Omit<HandoffRefused, 'because'> = { type: 'handoff.refused', occasion, item, decisions, load };
  if (!isAccepted) turn.send(by, { ...refusal, because });
  else give(turn, row!, { type: 'handoff.given', number, row: row!.row, occasion, from, item, load });
}

/** Why an actor may not hand off in the name of a team; null if it may. */
function strangerIn(turn: OrganisationTurn, { responsible }: RaciRow, from: TeamId, by: AnyActorRef): string | null {
  if (!responsible.includes(from)) return `${from} is not responsible for it: ${responsible.join(' or ')} is`;
  const { actor } = TEAMS[from];
  return actor !== null && turn.find(actor) === by ? null : `${by.id} does not speak for ${from}`;
}

/** Gives a hand-off to its receiver, and tells the informed parties. */
function give(turn: OrganisationTurn, row: RaciRow, given: HandoffGiven): void {
  const { carrier = row.accountable, accountable, informed } = row;
  const { counts, drained, held } = turn.context;
  turn.assign({ counts: { ...counts, [row.row]: (counts[row.row] ?? 0) + 1 } });
  if (carrier !== null && carrier !== 'user')
    if (drained.includes(carrier) && held.size < HANDOFFS_HELD_MAX)
      turn.assign({ held: held.set(numberKey(given.number), { ...given, to: carrier }) });
    else turn.send(TEAMS[carrier].actor!, given);
  turn.send(DELIVERY_DESKS.scraper, { ...given, type: 'handoff.seen' } satisfies HandoffSeen);
  const { load: _, type: __, ...facts } = given;
  for (const sink of informed)
    turn.send(SINK_ACTORS[sink], { ...facts, type: 'handoff.informed', to: accountable } satisfies HandoffInformed);
}

/** Drains a team, or lets it go on with what was held for it. */
function set(turn: OrganisationTurn, { team, isDrained }: z.output<typeof drain>): OrderReply {
  const { actor, title } = TEAMS[team];
  const isOurs = turn.context.raci.some(({ accountable, carrier = accountable }) => carrier === team);
  if (actor === null || !isOurs) return refused(`nothing is handed to the ${title} here`);
  const others = turn.context.drained.filter((one) => one !== team);
  turn.assign({ drained: isDrained ? [...others, team] : others });
  if (team === 'coding-ai') turn.send(WORK_DESKS.orchestrator, { type: 'coding.drained', isDrained });
  if (isDrained) return TAKEN;
  for (const [key, { to, ...given }] of [...turn.context.held.entries()]) {
    if (to !== team) continue;
    turn.assign({ held: turn.context.held.delete(key) });
    turn.send(actor, given);
  }
  return TAKEN;
}
