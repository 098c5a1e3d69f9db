/**
 * The figures of the answer team (AT-026, AT-062 to AT-064): counters of fixed size that each entry of the log changes,
 * and the report made of them beside its targets. What the counters hold equals a recount of the log. Pure.
 */
import { type Priority } from './bundle.ts';
import { BINS, binOf } from './calibration.ts';
import { type AnswerProfile } from './profile.ts';
import { isEscalation, type Judged, type LogEntry, type Resolved } from './resolution-log.ts';

/**
 * The number of judged answers from which the accuracy of confidence is reported, and of ratings from which a
 * mean is.
 */
export const JUDGED_MIN = 50;
export const OPINIONS_MIN = 10;

interface Sum {
  readonly count: number;
  readonly total: number;
}
const NONE: Sum = { count: 0, total: 0 };

interface Bin {
  readonly count: number;
  readonly right: number;
  /** The sum of the stated confidences, in percent. */
  readonly said: number;
}

/** The counters. */
export interface Figures {
  readonly resolved: number;
  readonly escalated: number;
  readonly timedOut: number;
  readonly followUps: number;
  readonly corrected: number;
  readonly byOutcome: Readonly<Partial<Record<Resolved['outcome'], number>>>;
  /** Milliseconds to the first answer or ticket, and the number of questions that met their time limit. */
  readonly times: Readonly<Record<Priority, Sum & { readonly inTime: number }>>;
  readonly tokens: Sum;
  readonly clarity: Sum;
  readonly satisfaction: Sum;
  readonly citations: Sum;
  readonly bins: readonly Bin[];
}

const NO_TIME = { ...NONE, inTime: 0 };

export const NO_FIGURES: Figures = {
  resolved: 0,
  escalated: 0,
  timedOut: 0,
  followUps: 0,
  corrected: 0,
  byOutcome: {},
  times: { 1: NO_TIME, 2: NO_TIME, 3: NO_TIME },
  tokens: NONE,
  clarity: NONE,
  satisfaction: NONE,
  citations: NONE,
  bins: Array.from({ length: BINS }, () => ({ count: 0, right: 0, said: 0 })),
};

/** The counters after one more entry. */
export function counted(figures: Figures, entry: LogEntry): Figures {
  switch (entry.kind) {
    case 'resolved':
      return resolvedIn(figures, entry);
    case 'settled':
      return entry.clarity === null ? figures : { ...figures, clarity: plus(figures.clarity, entry.clarity) };
    case 'corrected':
      return { ...figures, corrected: figures.corrected + 1 };
    case 'judged': {
      const { confidence, hadRightSources, satisfaction } = entry;
      const bins = figures.bins.map((bin, index) => (index === binOf(confidence) ? judgedIn(bin, entry) : bin));
      return {
        ...figures,
        bins,
        ...(hadRightSources !== null && { citations: plus(figures.citations, hadRightSources ? 1 : 0) }),
        ...(satisfaction !== null && { satisfaction: plus(figures.satisfaction, satisfaction) }),
      };
    }
  }
}

/** A bin after one more judgement: an answer counts once, and as it was judged last. */
function judgedIn(bin: Bin, { confidence, wasRight, verdict }: Judged): Bin {
  if (verdict === 'repeated') return bin;
  const right = bin.right + (wasRight ? 1 : 0);
  if (verdict === 'changed') return { ...bin, right: wasRight ? right : right - 1 };
  return { count: bin.count + 1, right, said: bin.said + confidence };
}

function resolvedIn(figures: Figures, entry: Resolved): Figures {
  const { priority, outcome, afterMs, deadlineMs, hasTimedOut, isFollowUp, tokens } = entry;
  const { [priority]: time } = figures.times;
  const inTime = time.inTime + (afterMs <= deadlineMs ? 1 : 0);
  const hasAnswer = outcome !== 'escalated' && outcome !== 'unanswered';
  return {
    ...figures,
    resolved: figures.resolved + 1,
    escalated: figures.escalated + (isEscalation(entry) ? 1 : 0),
    timedOut: figures.timedOut + (hasTimedOut ? 1 : 0),
    followUps: figures.followUps + (isFollowUp ? 1 : 0),
    byOutcome: { ...figures.byOutcome, [outcome]: (figures.byOutcome[outcome] ?? 0) + 1 },
    times: { ...figures.times, [priority]: { ...plus(time, afterMs), inTime } },
    ...(hasAnswer && { tokens: plus(figures.tokens, tokens) }),
  };
}

/** A figure with its target. */
export interface Figure {
  readonly name: string;
  /** The value; null if there are too few cases. */
  readonly value: number | null;
  /** The number of cases behind the value. */
  readonly count: number;
  readonly target: string | null;
  /** Whether the target is met; null without a value or a target. */
  readonly isMet: boolean | null;
}

/** The figures of the metrics that the settings name. */
const TRACKED: Readonly<Record<string, AnswerProfile['metrics_tracked'][number]>> = {
  resolution_time_p1: 'resolution_time_by_priority',
  resolution_time_p2: 'resolution_time_by_priority',
  resolution_time_p3: 'resolution_time_by_priority',
  escalation_rate: 'escalation_rate',
  confidence_accuracy: 'confidence_accuracy',
  token_efficiency: 'token_efficiency',
  source_citation_quality: 'source_citation_quality',
};

/** The report without the metrics that the settings leave out. Times are in ms, rates from 0 to 1. */
export function reportOf(figures: Figures, { metrics_tracked }: Pick<AnswerProfile, 'metrics_tracked'>) {
  return measured(figures).filter(({ name }) => TRACKED[name] === undefined || metrics_tracked.includes(TRACKED[name]));
}

/** The tracked metrics and the measures of success, with their targets. */
function measured(figures: Figures): readonly Figure[] {
  const { resolved, escalated, times, tokens, citations, satisfaction, clarity, followUps, timedOut, corrected } =
    figures;
  const judged = figures.bins.reduce((sum, { count }) => sum + count, 0);
  const rate = (part: number) => (resolved === 0 ? null : part / resolved);
  const mean = ({ count, total }: Sum, countMin = 1) => (count < countMin ? null : total / count);
  const figure = (name: string, value: number | null, count: number, target?: Target): Figure => ({
    name,
    value,
    count,
    target: target?.text ?? null,
    isMet: value === null || target === undefined ? null : target.isMetBy(value),
  });
  const p1InTime = times[1].count === 0 ? null : times[1].inTime / times[1].count;
  return [
    ...([1, 2, 3] as const).map((one) => figure(`resolution_time_p${one}`, mean(times[one]), times[one].count)),
    figure('resolution_rate', rate(resolved - escalated), resolved, above(0.8)),
    figure('escalation_rate', rate(escalated), resolved, below(0.2)),
    figure('p1_in_time', p1InTime, times[1].count, { text: '1', isMetBy: (value) => value === 1 }),
    figure('confidence_accuracy', judged < JUDGED_MIN ? null : accuracyOf(figures), judged, above(0.9)),
    figure('token_efficiency', mean(tokens), tokens.count, below(1_000)),
    figure('source_citation_quality', mean(citations), citations.count, above(0.95)),
    figure('follow_up_rate', rate(followUps), resolved, below(0.15)),
    figure('satisfaction', mean(satisfaction, OPINIONS_MIN), satisfaction.count, atLeast(4.2)),
    figure('clarity', mean(clarity), clarity.count, atLeast(85)),
    figure('timeout_rate', rate(timedOut), resolved),
    figure('corrections', corrected, corrected),
  ];
}

/** 1 minus the expected calibration error over the bins. */
function accuracyOf({ bins }: Figures): number {
  const all = bins.reduce((sum, { count }) => sum + count, 0);
  return 1 - bins.reduce((sum, { right, said }) => sum + Math.abs(right - said / 100), 0) / all;
}

function plus({ count, total }: Sum, value: number): Sum {
  return { count: count + 1, total: total + value };
}

interface Target {
  readonly text: string;
  readonly isMetBy: (value: number) => boolean;
}

function above(bound: number): Target {
  return { text: `> ${bound}`, isMetBy: (value) => value > bound };
}

function atLeast(bound: number): Target {
  return { text: `>= ${bound}`, isMetBy: (value) => value >= bound };
}

function below(bound: number): Target {
  return { text: `< ${bound}`, isMetBy: (value) => value < bound };
}
