/**
 * Context breaking (AT-031, AT-034): brings a question whose context is too large below its bound of tokens, by five
 * strategies, and says what was left out. The question itself is never cut. Pure.
 */
import { sliceByTokens } from 'tokenx';
import { bundleTokens, type Priority, type QueryBundle, tokensIn } from './bundle.ts';
import { relevance } from './words.ts';

/** The strategies, in the order in which `hybrid` tries them; `hybrid` is the last. */
export const BREAKING_STRATEGIES = [
  'discard_low_rel',
  'summarize_old',
  'prioritize_recent',
  'content_type_chunking',
  'hybrid',
] as const;
export type BreakingStrategy = (typeof BREAKING_STRATEGIES)[number];

/** The share of the bound at which an asker is warned. */
const WARNING_SHARE = 0.8;
/** The share of the oldest parts that `summarize_old` summarises, and the tokens of their summary. */
const OLD_SHARE = 0.6;
const SUMMARY_TOKENS = 300;
/**
 * The parts that `prioritize_recent` keeps: the latest ones, and those of at least this relevance. Urgent questions
 * count for more.
 */
const RECENT_SHARE = 0.2;
const RELEVANCE_MIN = 0.5;
const URGENT_FACTOR = 1.5;
/** The share of the least relevant parts that `discard_low_rel` leaves out. */
const LOW_SHARE = 0.3;
/** The share of the bound that `content_type_chunking` gives to each kind of content. */
const KIND_WEIGHTS: Readonly<Record<Kind, number>> = { plan: 1, code: 0.7, text: 0.5, log: 0.4 };
const HYBRID_ROUNDS_MAX = 3;

type Kind = 'plan' | 'code' | 'text' | 'log';

/** A part of a question's context; parts are in the order in which the asker gave them, the oldest first. */
interface Part {
  readonly kind: Kind;
  readonly name: string;
  readonly text: string;
  readonly relevance: number;
}

/** The text that a strategy removed from one part. */
export interface Dropped {
  /** The file or section of the part. */
  readonly what: string;
  readonly tokens: number;
  readonly by: BreakingStrategy | 'fresh_start';
}

/** The result of breaking a bundle. */
export interface Broken {
  readonly bundle: QueryBundle;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Strategies in the order in which they were applied; empty if the context was small enough. */
  readonly applied: readonly (BreakingStrategy | 'fresh_start')[];
  readonly dropped: readonly Dropped[];
  /** Whether the context uses 80 % of its bound or more. */
  readonly isNearLimit: boolean;
  /** Whether every strategy failed, so that only the most relevant parts were kept. */
  readonly hasFailed: boolean;
}

/**
 * Breaks a bundle that exceeds `maxTokens`, and leaves a smaller one unchanged.
 *
 * @param strategy The strategy to try. `hybrid` tries up to three others. If the bundle is still too large, a fresh
 * start keeps the most relevant parts that fit.
 */
export function breakBundle(
  bundle: QueryBundle,
  { maxTokens, strategy = 'hybrid' }: { readonly maxTokens: number; readonly strategy?: BreakingStrategy },
): Broken {
  const tokensBefore = bundleTokens(bundle);
  const isNearLimit = tokensBefore >= maxTokens * WARNING_SHARE;
  const untouched = { applied: [], dropped: [], hasFailed: false, isNearLimit };
  if (tokensBefore <= maxTokens) return { bundle, tokensBefore, tokensAfter: tokensBefore, ...untouched };
  const whole = partsOf(bundle);
  const room = maxTokens - bundleTokens(withParts(bundle, []));
  const tried = strategy === 'hybrid' ? BREAKING_STRATEGIES.slice(0, HYBRID_ROUNDS_MAX) : [strategy];
  const applied: (BreakingStrategy | 'fresh_start')[] = [];
  const dropped: Dropped[] = [];
  let parts = whole;
  for (const one of tried) {
    if (tokensOf(parts) <= room) break;
    const next = STRATEGIES[one as Exclude<BreakingStrategy, 'hybrid'>](parts, {
      room,
      urgency: bundle.priority_level,
    });
    dropped.push(...lossesBetween(parts, next, one));
    applied.push(one);
    parts = next;
  }
  const hasFailed = tokensOf(parts) > room;
  if (hasFailed) {
    const next = freshStart(whole, room);
    applied.push('fresh_start');
    dropped.splice(0, Infinity, ...lossesBetween(whole, next, 'fresh_start'));
    parts = next;
  }
  const { bundle: kept, lost } = withinBound(withParts(bundle, parts), maxTokens);
  const tokensAfter = bundleTokens(kept);
  return { bundle: kept, tokensBefore, tokensAfter, applied, dropped: [...dropped, ...lost], hasFailed, isNearLimit };
}

/** A suggestion for an asker whose strategy did not make the context fit (AT-046). Null if it did. */
export function suggestedTweak({ applied, hasFailed, dropped }: Broken): string | null {
  if (!hasFailed) return null;
  const untried = BREAKING_STRATEGIES.find((one) => one !== 'hybrid' && !applied.includes(one));
  const [most] = [...dropped].sort((a, b) => b.tokens - a.tokens);
  const largest = most === undefined ? '' : `; ${most.what} alone lost ${most.tokens} tokens: quote less of it`;
  return `${applied[0]!} was not enough${untried === undefined ? '' : `: try ${untried}`}${largest}`;
}

/** A suggestion for an asker that names the failed strategies (AT-046). Null if all were tried. */
export function strategyInstead(text: string): string | null {
  const tried = new Set(BREAKING_STRATEGIES.filter((one) => text.includes(one)));
  const untried = BREAKING_STRATEGIES.find((one) => !tried.has(one) && one !== 'hybrid');
  if (untried === undefined) return null;
  return tried.size === 0 ? `Try ${untried}.` : `Try ${untried} instead of ${[...tried].join(' and ')}.`;
}

interface Room {
  readonly room: number;
  readonly urgency: Priority;
}

const STRATEGIES: Readonly<Record<Exclude<BreakingStrategy, 'hybrid'>, (parts: readonly Part[], at: Room) => Part[]>> =
  {
    discard_low_rel: (parts) => {
      const low = [...parts].sort((a, b) => a.relevance - b.relevance).slice(0, Math.floor(parts.length * LOW_SHARE));
      return parts.filter((part) => !low.includes(part));
    },
    summarize_old: (parts) => {
      const old = Math.ceil(parts.length * OLD_SHARE);
      const share = Math.floor(SUMMARY_TOKENS / Math.max(1, old));
      return parts.map((part, index) => (index < old ? cutPart(part, share) : part));
    },
    prioritize_recent: (parts, { urgency }) => {
      const latest = parts.length - Math.ceil(parts.length * RECENT_SHARE);
      const factor = urgency === 1 ? URGENT_FACTOR : 1;
      return parts.filter((part, index) => index >= latest || part.relevance * factor >= RELEVANCE_MIN);
    },
    content_type_chunking: (parts, { room }) => {
      const all = parts.reduce((sum, part) => sum + KIND_WEIGHTS[part.kind], 0);
      return parts.map((part) => cutPart(part, Math.floor((room * KIND_WEIGHTS[part.kind]) / all)));
    },
  };

/** The most relevant parts that fit, in their original order. */
function freshStart(parts: readonly Part[], room: number): Part[] {
  const kept = new Set<Part>();
  let left = room;
  for (const part of [...parts].sort((a, b) => b.relevance - a.relevance)) {
    const tokens = tokensOf([part]);
    if (tokens > left) continue;
    kept.add(part);
    left -= tokens;
  }
  return parts.filter((part) => kept.has(part));
}

/** Shortens the other fields if they alone exceed the bound: the summary first, then the options. */
function withinBound(bundle: QueryBundle, maxTokens: number): { bundle: QueryBundle; lost: readonly Dropped[] } {
  const over = bundleTokens(bundle) - maxTokens;
  if (over <= 0) return { bundle, lost: [] };
  const summary = tokensIn(bundle.context_summary);
  const shorter = { ...bundle, context_summary: cutText(bundle.context_summary, Math.max(0, summary - over)) };
  const lost: Dropped = { what: 'context_summary', tokens: Math.min(over, summary), by: 'fresh_start' };
  if (bundleTokens(shorter) <= maxTokens) return { bundle: shorter, lost: [lost] };
  const options = (bundle.possible_options ?? []).reduce((sum, text) => sum + tokensIn(text), 0);
  return {
    bundle: { ...shorter, possible_options: null },
    lost: [lost, { what: 'possible_options', tokens: options, by: 'fresh_start' }],
  };
}

function partsOf({ question, plan_references, relevant_snippets }: QueryBundle): Part[] {
  const known = (kind: Kind, name: string, text: string): Part => ({
    kind,
    name,
    text,
    relevance: relevance(question, `${name} ${text}`),
  });
  return [
    ...plan_references.map(({ section, quote }) => known('plan', section, quote ?? '')),
    ...relevant_snippets.map(({ file, content }) => known(kindOf(file), file, content)),
  ];
}

function kindOf(file: string): Kind {
  if (/\.(log|out|err|trace)$/i.test(file)) return 'log';
  return /\.(md|mdx|txt|rst|adoc|html?)$/i.test(file) ? 'text' : 'code';
}

function withParts(bundle: QueryBundle, parts: readonly Part[]): QueryBundle {
  return {
    ...bundle,
    plan_references: parts
      .filter(isPlan)
      .map(({ name, text }) => ({ section: name, quote: text === '' ? null : text })),
    relevant_snippets: parts.filter((part) => !isPlan(part)).map(({ name, text }) => ({ file: name, content: text })),
  };
}

function isPlan({ kind }: Part): boolean {
  return kind === 'plan';
}

function tokensOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { name, text }) => sum + tokensIn(name) + tokensIn(text), 0);
}

function cutPart(part: Part, tokens: number): Part {
  return { ...part, text: cutText(part.text, tokens) };
}

/** The beginning of a text, cut at the end of a line if possible. */
function cutText(text: string, tokens: number): string {
  if (tokensIn(text) <= tokens) return text;
  let room = tokens;
  let cut = sliceByTokens(text, 0, room);
  // A slice is as long as its estimate; the reserve makes it longer.
  while (cut !== '' && tokensIn(cut) > tokens) cut = sliceByTokens(text, 0, --room);
  const lineEnd = cut.lastIndexOf('\n');
  return (lineEnd > 0 ? cut.slice(0, lineEnd) : cut).toWellFormed();
}

function lossesBetween(before: readonly Part[], after: readonly Part[], by: Dropped['by']): Dropped[] {
  // A strategy keeps the order of parts, so that equal names are told apart by what is left of them.
  const rest = [...after];
  return before.flatMap((part) => {
    const at = rest.findIndex(
      ({ name, kind, text }) => name === part.name && kind === part.kind && part.text.startsWith(text),
    );
    const left = at === -1 ? 0 : tokensOf(rest.splice(at, 1));
    const tokens = tokensOf([part]) - left;
    return tokens > 0 ? [{ what: part.name, tokens, by }] : [];
  });
}
