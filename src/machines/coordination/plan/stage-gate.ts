/**
 * A gate in a plan file: what people decide once a stage is done, before the item goes on. One of the presets (CA-137),
 * or a question of one's own. Pure; what an answer means is in gate-decisions.ts.
 */
import { z } from 'zod';
import { GATE_PRESETS, type GatePresetName } from '../../people/gates/gate-presets.ts';
import { closed } from './closed-object.ts';

const HOUR_MS = 60 * 60 * 1000;
const GATE_MS_MAX = 366 * 24 * HOUR_MS;

const PRESETS = ['G1', 'G2', 'G3', 'G4', 'G5', 'G6'] as const satisfies readonly GatePresetName[];

const durationMs = z.int().positive().max(GATE_MS_MAX);

export const stageGate = closed({
  preset: z
    .enum(PRESETS)
    .optional()
    .describe('Times and title of one of the six gates. What is given beside it comes first.'),
  name: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,40}$/, 'must be 1 to 40 letters, digits or -')
    .optional()
    .describe('What the gate is called. Default: the preset.'),
  title: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('What people are asked. Default: that of the preset, or the name.'),
  audience: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(100)
    .default(['*'])
    .describe('Whose answer counts; * is anybody.'),
  remindAfterMs: z
    .array(durationMs)
    .max(20)
    .optional()
    .describe('When reminders go out, in milliseconds from the opening.'),
  deadlineMs: durationMs
    .nullable()
    .optional()
    .describe('When the item pauses because nobody has answered, in milliseconds from the opening; null: never.'),
})
  .refine(({ preset, name }) => preset !== undefined || name !== undefined, {
    error: 'a gate needs a "preset" or a "name"',
  })
  .transform(({ preset, name, title, audience, remindAfterMs, deadlineMs }) => {
    const known = preset === undefined ? undefined : GATE_PRESETS[preset];
    return {
      gate: name ?? preset!, // one of them is there: see above
      title: title ?? known?.title ?? name!,
      audience,
      remindAfterMs: remindAfterMs ?? [...(known?.remindAfterMs ?? [])],
      deadlineMs: deadlineMs === undefined ? (known?.deadlineMs ?? null) : deadlineMs,
    };
  })
  .describe('What people decide when the stage is done; nothing else of the item starts before.');

export type StageGate = Readonly<z.output<typeof stageGate>>;
