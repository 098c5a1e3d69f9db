/**
 * Gates in a plan file: questions for people to decide after a stage, before the item continues. Each is a preset
 * (CA-137) or a custom question. Pure; gate-decisions.ts interprets the answers.
 */
import { z } from 'zod';
import { GATE_PRESETS, type GatePresetName, type GateWords } from '../../people/gates/gate-presets.ts';
import { closed } from '../../../closed-object.ts';

const HOUR_MS = 60 * 60 * 1000;
const GATE_MS_MAX = 366 * 24 * HOUR_MS;

const PRESETS = ['G1', 'G2', 'G3', 'G4', 'G5', 'G6'] as const satisfies readonly GatePresetName[];

const durationMs = z.int().positive().max(GATE_MS_MAX);

export const stageGate = closed({
  preset: z
    .enum(PRESETS)
    .optional()
    .describe('One of the six gates, with its times and title. Other fields override them.'),
  name: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,40}$/, 'must be 1 to 40 letters, digits or -')
    .optional()
    .describe('The name of the gate. Default: the preset.'),
  title: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('The question to people. Default: the title of the preset, or the name.'),
  audience: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(100)
    .default(['*'])
    .describe('The people whose answer counts; * is anybody.'),
  remindAfterMs: z
    .array(durationMs)
    .max(20)
    .optional()
    .describe('The times of the reminders, in milliseconds from the opening.'),
  deadlineMs: durationMs
    .nullable()
    .optional()
    .describe('The deadline after which the item is paused, in milliseconds from the opening; null: none.'),
})
  .refine(({ preset, name }) => preset !== undefined || name !== undefined, {
    error: 'a gate needs a "preset" or a "name"',
  })
  .describe('A decision of people when the stage is done. Nothing else of the item starts before it.');

export interface StageGate {
  readonly gate: string;
  readonly title: string;
  readonly audience: string[];
  readonly remindAfterMs: number[];
  readonly deadlineMs: number | null;
}

/** The gate of a stage, completed by its preset and by the words of the plan's pack. */
export function stageGateOf(given: z.output<typeof stageGate>, words: GateWords = {}): StageGate {
  const { preset, name, title, audience, remindAfterMs, deadlineMs } = given;
  const known = preset === undefined ? undefined : { ...GATE_PRESETS[preset], ...words[preset] };
  return {
    gate: name ?? preset!, // the schema demands one of the two
    title: title ?? known?.title ?? name!,
    audience,
    remindAfterMs: remindAfterMs ?? [...(known?.remindAfterMs ?? [])],
    deadlineMs: deadlineMs === undefined ? (known?.deadlineMs ?? null) : deadlineMs,
  };
}

/** The title that older builds gave to G1 in every field of work. */
const G1_BEFORE = 'Screening';

/** A gate as an older build kept it: with the title that G1 had before packs had words for gates. */
export function gateInFormOf(held: StageGate | undefined, given: StageGate | undefined): StageGate | undefined {
  const isOlder = held?.title === G1_BEFORE && given?.title === GATE_PRESETS.G1.title;
  return isOlder ? { ...given, title: G1_BEFORE } : given;
}
