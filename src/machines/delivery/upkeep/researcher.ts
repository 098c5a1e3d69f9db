/**
 * The Researcher Team (MX-008, MX-020): answers what the organisation itself cannot tell, by searches and pages
 * outside. It takes one step after the other, those of several questions in turn. Equal questions are one piece of
 * research, whose result is given again for an hour.
 */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { type ReplyTo } from '../../../actors/model/talk-actions.ts';
import { RESEARCH_KEPT_MAX } from '../../limits.ts';
import { type Evidence, EVIDENCE_MAX, type Retrieval, retrieveSchema } from '../../answers/evidence.ts';
import { quotedAnswer } from '../../answers/quoting.ts';
import { normalised } from '../../answers/words.ts';
import { nameKey, numberKey, pairKey, pairsOf } from '../../rules/table-keys.ts';
import { type Asked, order, type Rules } from '../../rules/turn.ts';
import { type Known, type Port } from '../../work/port.ts';
import { name } from '../../work/message-schema.ts';
import { CONTRACTS, type DeliveryPorts } from '../delivery-ports.ts';
import { addJob, count, type TeamContext, type TeamTurn, type TeamWork } from '../teams/team.ts';
import { after, begun, nextStep, type Progress, RESEARCH, type Step } from './research-rules.ts';

const request = z.object({
  question: retrieveSchema.shape.question,
  options: retrieveSchema.shape.options.default(null),
  scopes: retrieveSchema.shape.scopes.default(null),
  source: z.enum(['answer', 'planning', 'user', 'boss_auto']),
  /** The subject, in the asker's words: they come back with the answer. */
  about: name.nullable().default(null),
  /** Milliseconds after which no further step is taken. */
  withinMs: z.number().nonnegative().default(120_000),
});
type Request = z.output<typeof request>;

/** The answer to a request. */
export interface Researched {
  /** The sources in a few words; null if they say nothing. */
  readonly summary: string | null;
  readonly sources: readonly Evidence[];
  /** Searches and pages of this piece of research. */
  readonly searches: number;
  readonly pages: number;
  /** Whether it was found for an earlier question. */
  readonly isCached: boolean;
  /** Why there is no summary; null if there is one. */
  readonly because: string | null;
}

/** The answer as an agent of the system hears of it. */
export type ResearchDone = Researched & Readonly<{ type: 'research.done'; about: string | null }>;

interface Job {
  readonly key: string;
  readonly request: Request;
  readonly dueAtMs: number;
  readonly progress: Progress;
  readonly step: Step;
}
type ResearchTurn = TeamTurn<Job>;

/** Someone who waits for a result. */
type Waiter = Pick<Request, 'about'> & Readonly<{ askedBy: AnyActorRef | null; replyTo: ReplyTo | null }>;
type Kept = Readonly<{ found: Researched; atMs: number }>;

/** The first parts of the keys of results, and of those who wait for one. */
const FOUND = 'found';
const WAITS = 'waits ';

type Answered = Retrieval | { readonly summary: string | null };
type Ports = Pick<Partial<DeliveryPorts>, 'search' | 'browse' | 'summarise'>;

/** The work of the Researcher Team with these ports. */
export function researchWork({ search, browse, summarise }: Ports): TeamWork<Job, Job, Answered> {
  const bounds = ({ context: { settings } }: ResearchTurn) => ({
    ...{ ...RESEARCH, ...settings },
    ...(browse === undefined && { pagesMax: 0 }),
  });

  function ask(
    turn: ResearchTurn,
    event: Request & Asked & { readonly askedBy?: AnyActorRef },
  ): Researched | undefined {
    const { question, options, scopes, about, askedBy = null, replyTo = null } = event;
    count(turn, { requests: 1 });
    const key = nameKey(JSON.stringify([normalised(question), options, scopes]));
    const kept = turn.context.asked.get(pairKey(FOUND, key)) as Kept | undefined;
    const isFresh = kept !== undefined && turn.nowMs - kept.atMs < bounds(turn).cacheMs;
    if (isFresh) count(turn, { cached: 1 });
    const known = isFresh ? { ...kept.found, searches: 0, pages: 0, isCached: true } : undefined;
    const said = search === undefined ? { ...NOTHING, because: 'no search here' } : known;
    if (said !== undefined) return tell(turn, { askedBy, about }, said);
    const isUnderWay = [...turn.context.asked.values(pairsOf(WAITS + key))].length > 0;
    const row = pairKey(WAITS + key, numberKey(turn.context.figures['requests']!));
    turn.assign({ asked: turn.context.asked.set(row, { askedBy, replyTo, about } satisfies Waiter) });
    if (isUnderWay) return undefined;
    const asked = request.parse({ ...event, replyTo: undefined });
    go(turn, { key, request: asked, dueAtMs: turn.nowMs + asked.withinMs, progress: begun(question, options ?? []) });
    return undefined;
  }

  /** Takes the next step, if there is time for one. */
  function go(turn: ResearchTurn, job: Omit<Job, 'step'>): void {
    const isOver = turn.nowMs >= job.dueAtMs;
    const [step, round] = isOver ? [SUMMARISE, 0] : nextStep(job.progress, bounds(turn));
    const canSay = summarise !== undefined && !isOver && job.progress.sources.length > 0;
    if (step.does === 'summarise' && !canSay) end(turn, job, null);
    else addJob(turn, { ...job, step, progress: { ...job.progress, round } });
  }

  return {
    team: 'researcher',
    rules: { 'research.request': order(request, ask) } as unknown as Rules<TeamContext<Job>>,
    contract: CONTRACTS.research,
    ask: (job) => job,
    finish(turn, { step, ...job }, answer: Known<Answered | null>) {
      const said = answer.isKnown ? (answer.value ?? { evidence: [] }) : answer;
      if (step.does === 'summarise') return end(turn, job, 'summary' in said ? said.summary : null);
      count(turn, step.does === 'search' ? { searches: 1 } : { pages: 1 });
      const outcome = 'summary' in said ? { why: 'a search has no summary' } : said;
      go(turn, { ...job, progress: after(job.progress, step, outcome) });
    },
  };
}

const SUMMARISE: Step = { does: 'summarise' };
const NOTHING = { summary: null, sources: [], searches: 0, pages: 0, isCached: false };

/** The port of the team: a step by the function that does it. */
export function researchPort({ search, browse, summarise }: Ports): Port<Job, unknown> {
  return ({ step, request: { question, options, scopes, withinMs }, progress: { sources } }, facts) => {
    if (step.does === 'browse') return browse!({ page: step.page, question }, facts);
    if (step.does === 'summarise')
      return summarise!({ question, sources }, facts).then((summary) => ({ summary: summary || null }));
    const asked = { question: step.query, options, scopes, limit: EVIDENCE_MAX, known: sources, withinMs };
    return search!(asked, facts);
  };
}

/** Keeps a result, and tells all who wait for it. */
function end(turn: ResearchTurn, { key, progress }: Pick<Job, 'key' | 'progress'>, said: string | null): void {
  const { sources, searches, read, failed } = progress;
  const summary = said ?? quotedAnswer({ evidence: sources, isComplete: true }).answer;
  const because = summary === null ? (failed[0] ?? 'nothing outside says anything about it') : null;
  const found = { summary, sources, searches, pages: read.length, isCached: false, because };
  // What has only failed is searched again.
  if (failed.length < searches + read.length) keep(turn, pairKey(FOUND, key), { found, atMs: turn.nowMs });
  for (const [row, waiter] of [...turn.context.asked.entries(pairsOf(WAITS + key))] as [string, Waiter][]) {
    turn.assign({ asked: turn.context.asked.delete(row) });
    turn.reply(waiter.replyTo ?? undefined, tell(turn, waiter, found));
  }
}

function keep(turn: ResearchTurn, key: string, kept: Kept): void {
  const rows = [...turn.context.asked.entries(pairsOf(FOUND))] as [string, Kept][];
  const [oldest] = rows.length < RESEARCH_KEPT_MAX ? [] : rows.toSorted(([, a], [, b]) => a.atMs - b.atMs);
  const { asked } = turn.context;
  turn.assign({ asked: (oldest === undefined ? asked : asked.delete(oldest[0])).set(key, kept) });
}

/** Tells an agent that has asked: with the evidence, or the failure, as a port of the answer desk would. */
function tell(turn: ResearchTurn, { askedBy, about }: Omit<Waiter, 'replyTo'>, found: Researched): Researched {
  const isFailed = found.sources.length === 0 && found.searches > 0 && found.because !== null;
  const output = { evidence: found.sources, complete: true };
  const done = { type: 'research.done', about, ...found, ...(isFailed ? { error: found.because } : { output }) };
  if (askedBy !== null) turn.send(askedBy, done);
  return found;
}
