/**
 * The six gates of a plan (CA-137) as data: the time to answer, the reminders, and the result without an answer, in
 * words that fit any field of work; a pack may have its own. Also the rule for when the learning gate is due. Pure.
 */
import { type GateQuestion } from './gate.ts';
import { type GateAbout } from './gate-name.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

export type GatePresetName = 'G1' | 'G2' | 'G3' | 'G4' | 'G5' | 'G6';

interface GatePreset extends Pick<GateQuestion, 'kind' | 'title' | 'remindAfterMs' | 'deadlineMs'> {
  /** The result without an answer, in words; null if there is none and the gate blocks. */
  readonly onTimeout: string | null;
}

/** Words of a field of work for preset gates. */
export type GateWords = {
  readonly [Name in GatePresetName]?: { readonly title?: string; readonly onTimeout?: string };
};

/** The six gates that a plan may name. */
export const GATE_PRESETS: Readonly<Record<GatePresetName, GatePreset>> = {
  G1: {
    kind: 'G1',
    title: 'Entry',
    deadlineMs: 24 * HOUR_MS,
    remindAfterMs: [12 * HOUR_MS, 22 * HOUR_MS],
    onTimeout: 'standard selection',
  },
  G2: {
    kind: 'G2',
    title: 'Direction',
    deadlineMs: 12 * HOUR_MS,
    remindAfterMs: [6 * HOUR_MS, 10 * HOUR_MS],
    onTimeout: 'standard direction',
  },
  // Warnings in the last two hours: CA-E06.
  G3: {
    kind: 'G3',
    title: 'Assumptions',
    deadlineMs: 24 * HOUR_MS,
    remindAfterMs: [22 * HOUR_MS, 23 * HOUR_MS],
    onTimeout: 'conservative',
  },
  G4: {
    kind: 'G4',
    title: 'Debate',
    deadlineMs: 6 * HOUR_MS,
    remindAfterMs: [3 * HOUR_MS, 5 * HOUR_MS],
    onTimeout: 'conservative provisional',
  },
  G5: {
    kind: 'G5',
    title: 'Final decision',
    deadlineMs: null,
    remindAfterMs: [DAY_MS, 3 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS, 30 * DAY_MS],
    onTimeout: null,
  },
  G6: {
    kind: 'G6',
    title: 'Learning',
    deadlineMs: 48 * HOUR_MS,
    remindAfterMs: [24 * HOUR_MS, 44 * HOUR_MS],
    onTimeout: 'quarantine',
  },
};

/**
 * The question that a preset gate asks.
 *
 * @param asked The other fields; `value` is the result of `onTimeout`, handed to the agent that asked.
 * @param words The words of a pack: `PACKS.finance.gates`. Default: the neutral ones.
 */
export function presetQuestion(
  name: GatePresetName,
  asked: Pick<GateQuestion, 'id' | 'package' | 'audience' | 'form'> &
    Partial<GateAbout> & {
      readonly title?: string;
      readonly value?: unknown;
    },
  words: GateWords = {},
): GateQuestion {
  const { onTimeout, remindAfterMs, ...preset } = { ...GATE_PRESETS[name], ...words[name] };
  const { value = null, title = preset.title, ...rest } = asked;
  return {
    ...preset,
    ...{ item: null, stage: null, proposal: null },
    ...rest,
    title,
    remindAfterMs: [...remindAfterMs],
    onTimeout: onTimeout === null ? null : { name: onTimeout, value },
  };
}

/** CA-137: the number of outcomes, or the time, after which the learning gate opens, and its cooldown. */
const LEARNING_OUTCOMES = 50;
export const LEARNING_PERIOD_MS = 30 * DAY_MS;
const LEARNING_COOLDOWN_MS = 7 * DAY_MS;

/** Whether the learning gate is due. */
export function isLearningDue({
  outcomes,
  sinceMs,
  isFirst,
}: {
  /** Outcomes since the last learning gate, or since the beginning. */
  outcomes: number;
  /** Milliseconds since the last learning gate, or since the beginning. */
  sinceMs: number;
  /** Whether there was no learning gate before, so that no cooldown applies. */
  isFirst: boolean;
}): boolean {
  if (!isFirst && sinceMs < LEARNING_COOLDOWN_MS) return false;
  return outcomes >= LEARNING_OUTCOMES || sinceMs >= LEARNING_PERIOD_MS;
}
