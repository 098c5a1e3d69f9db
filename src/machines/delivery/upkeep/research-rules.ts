/**
 * How a question is researched (MX-020): analysed into queries, searched and read in one to three rounds, until there
 * is more than a mention, and summarised. Pure.
 */
import { type Evidence, isStrong, joinedEvidence } from '../../answers/evidence.ts';
import { contentWords, normalised } from '../../answers/words.ts';

/** The bounds of one piece of research. */
export interface ResearchSettings {
  readonly searchesMax?: number;
  readonly pagesMax?: number;
  readonly roundsMax?: number;
  /** Milliseconds for which a result is given again. */
  readonly cacheMs?: number;
}
export const RESEARCH = { searchesMax: 5, pagesMax: 3, roundsMax: 3, cacheMs: 3_600_000 } as const;

/** Searches of one round, and pages that are read after them. */
const PER_ROUND = 2;

/** Failures of one task from which on it is researched why: the fourth. */
const LOOPS_MAX = 3;

/** Sources that are kept and given back. */
const SOURCES_MAX = 10;

/** Research so far. */
export interface Progress {
  readonly round: number;
  readonly queries: readonly string[];
  /** Pages to read, and those that were read. */
  readonly pages: readonly string[];
  readonly read: readonly string[];
  readonly searches: number;
  readonly sources: readonly Evidence[];
  /** Why searches and pages have failed. */
  readonly failed: readonly string[];
}

export type Step =
  | { readonly does: 'search'; readonly query: string }
  | { readonly does: 'browse'; readonly page: string }
  | { readonly does: 'summarise' };

/** Analyses a question: it is searched as it is, by its parts, by its words alone, and with each of its options. */
export function begun(question: string, options: readonly string[]): Progress {
  const parts = question.split(/[?;\n]+/).flatMap((part) => part.trim() || []);
  const words = contentWords(question).join(' ');
  const queries = [question, ...parts, words, ...options.map((option) => `${words} ${option}`)];
  const keys = queries.map(normalised);
  const distinct = queries.filter((_, at) => keys[at] !== '' && keys.indexOf(keys[at]!) === at);
  return { round: 1, queries: distinct, pages: [], read: [], searches: 0, sources: [], failed: [] };
}

/** The next step, with the round to which it belongs. */
export function nextStep(progress: Progress, bounds: Required<ResearchSettings>): readonly [Step, number] {
  const { queries, pages, searches, read, sources } = progress;
  const [[query], [page]] = [queries, pages];
  for (let { round } = progress; round <= bounds.roundsMax; round += 1) {
    if (query !== undefined && searches < Math.min(bounds.searchesMax, PER_ROUND * round))
      return [{ does: 'search', query }, round];
    if (page !== undefined && read.length < Math.min(bounds.pagesMax, PER_ROUND * round))
      return [{ does: 'browse', page }, round];
    if (sources.some(isStrong)) break;
  }
  return [{ does: 'summarise' }, progress.round];
}

/** The evidence that a search or a page has found, or why it has not. */
type Outcome = { readonly evidence: readonly Evidence[] } | { readonly why: string };

/** Research after a step. A failed step counts as any other, and finds nothing. */
export function after(before: Progress, step: Step, outcome: Outcome): Progress {
  const [evidence, failed] = 'why' in outcome ? [[], [outcome.why]] : [outcome.evidence, []];
  const sources = joinedEvidence(before.sources, evidence).slice(0, SOURCES_MAX);
  const read = step.does === 'browse' ? [...before.read, step.page] : before.read;
  const pages = new Set(sources.map(({ source }) => source.file).filter((page) => !read.includes(page)));
  const isSearch = step.does === 'search';
  return {
    ...{ ...before, sources, read, pages: [...pages], failed: [...before.failed, ...failed] },
    ...(isSearch && { queries: before.queries.slice(1), searches: before.searches + 1 }),
  };
}

/** Whether a task has failed so often that people are told what is known of it outside. */
export function isLoop({ checks, tries }: Readonly<Record<'checks' | 'tries', number>>): boolean {
  return Math.max(checks, tries) > LOOPS_MAX;
}
