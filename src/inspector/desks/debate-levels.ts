/** The levels of a debate as steps: past, present and future ones, and their deadlines. Pure. */
import { type DebateRow } from './desk-shapes.ts';

export const LEVEL_NAMES: Readonly<Record<string, string>> = {
  setup: 'being set up',
  L1: 'the two agents',
  L2: 'by credibility',
  L3: 'an expert',
  L4: 'provisional',
  L5: 'review by people',
  deferred: 'deferred',
};

const STEPS = ['L1', 'L2', 'L3', 'L4', 'L5'] as const;

export interface Step {
  readonly level: string;
  readonly name: string;
  readonly standing: 'behind' | 'here' | 'ahead';
}

export interface DebateTimer {
  readonly event: string | null;
  readonly deadlineMs: number;
}

/** The steps of a debate. A deferred debate is at the level of provisional ones, without a value. */
export function stepsOf({ level, isOver, summary }: Pick<DebateRow, 'level' | 'isOver' | 'summary'>): readonly Step[] {
  const reached = isOver ? `L${summary?.level ?? 1}` : level === 'deferred' ? 'L4' : level;
  const at = STEPS.findIndex((step) => step === reached);
  return STEPS.map((step, index) => ({
    level: step,
    name: step === 'L4' && level === 'deferred' ? 'deferred' : LEVEL_NAMES[step]!,
    standing: index < at || (index === at && isOver) ? 'behind' : index === at ? 'here' : 'ahead',
  }));
}

const DELAYS: Readonly<Record<string, string>> = {
  acknowledgement: 'the acknowledgement is due',
  escalation: 'goes on to the facilitator',
  facilitation: 'the facilitator’s time is up',
  review: 'the expert’s time is up',
  moreEvidence: 'more evidence is due',
  window: 'reviewed at the latest',
  gateReview: 'the review’s time is up',
};

/** The running timers in words, the nearest first. */
export function timersOf(
  armed: readonly DebateTimer[],
): readonly { readonly what: string; readonly untilMs: number }[] {
  return armed
    .flatMap(({ event, deadlineMs }) => {
      const what = DELAYS[/^xstate\.after\.([^.]+)\./.exec(event ?? '')?.[1] ?? ''];
      return what === undefined ? [] : [{ what, untilMs: deadlineMs }];
    })
    .sort((a, b) => a.untilMs - b.untilMs);
}
