/**
 * The triage of features (D6, MX-063 to MX-066): whether the first release needs a feature of which the plan does not
 * say so. From 70 % on it is decided, from 40 % on people are asked three questions, below that everything. Pure.
 */
import { z } from 'zod';
import { name } from '../../work/message-schema.ts';
import { workMinutes, workPriority } from '../../work/work-item.ts';

/** The fields of a feature of a plan (MX-085). One without tasks of its own is a task itself. */
export const featureFields = {
  id: z.string().regex(/^[A-Za-z0-9][\w.-]{0,49}$/, 'the id of a feature is letters, digits, dots and dashes'),
  title: name,
  mandatory: z.union([z.boolean(), z.literal('unknown')]).describe('Whether the first release needs it.'),
  optional_note: z.string().max(500).nullable().default(null),
  priority: workPriority.optional(),
  confidence: z.number().min(0).max(100).optional().describe('How sure the plan is of `mandatory`, in percent.'),
  minutes: workMinutes.nullable().default(null),
  acceptance: z.array(z.string().min(1).max(500)).max(20).default([]),
};
export type Feature = z.output<z.ZodObject<typeof featureFields>>;

/** The decision about a feature; null while there is none. */
export interface Triaged {
  readonly isMandatory: boolean;
  readonly note: string | null;
  /** The one who has decided: `plan`, `Answer Team`, or a person. */
  readonly by: string;
}

/** The band of a confidence in percent. */
export function bandOf(confidence: number): 'high' | 'medium' | 'low' {
  if (confidence >= 70) return 'high';
  return confidence >= 40 ? 'medium' : 'low';
}

/** The decision that the plan itself holds; null if the feature needs triage (MX-066). */
export function plannedDecision({ mandatory, confidence = 100, optional_note: note }: Feature): Triaged | null {
  const isSaid = mandatory !== 'unknown' && bandOf(confidence) === 'high';
  return isSaid ? { isMandatory: mandatory, note, by: 'plan' } : null;
}

export const RELEASES = ['MVP', 'post-launch'] as const;

const LATER = new RegExp(
  String.raw`post[- ]?launch|post[- ]?mvp|phase 2|nice[- ]to[- ]have|\b(?:later|optional|defer(?:red)?|no)\b|` +
    String.raw`n(?:o|')t (?:\w+ )?(?:needed|required|mandatory|mvp|for (?:the )?(?:mvp|launch))`,
  'i',
);
const FIRST = /\b(?:mvp|required|mandatory|must|core|needed|yes|launch|first release)\b/i;

/** Whether words say that the first release needs a feature; undefined if they say neither. */
export function releaseIn(words: string): boolean | undefined {
  if (LATER.test(words)) return false;
  return FIRST.test(words) ? true : undefined;
}

/** The decision that follows from words. */
export function decisionBy(feature: Feature, isMandatory: boolean, by: string): Triaged {
  return { isMandatory, note: isMandatory ? feature.optional_note : deferralOf(feature), by };
}

/** Nouns that every feature may have, and that say nothing of this one. */
const NOUNS = /\s+(?:dashboard|page|screen|view|feature|module|section|form)s?$/i;

function deferralOf({ title }: Feature): string {
  return `${title.replace(NOUNS, '')} deferred to Phase 2`;
}

/** The question to the owner about a feature. */
export function questionAbout({ title }: Feature, band: 'medium' | 'low', goal: string) {
  const missing = `whether "${goal}" needs it from the start, and who uses it`;
  return band === 'medium'
    ? {
        title: `Is "${title}" required for the MVP or post-launch?`,
        text: `1. Is "${title}" required for MVP or post-launch?
2. If post-MVP: track as Phase 2 follow-up task?
3. Dependencies blocking optionality?`,
      }
    : {
        title: `@ask: "${title}" is unclear: is it MVP or optional?`,
        text: `Feature "${title}" unclear—is it MVP or optional? Missing info: ${missing}.`,
      };
}
