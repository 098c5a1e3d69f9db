/**
 * A piece of evidence: a line of a source, what it speaks for, and how much a line of its kind can show. The question
 * to the port that finds evidence, and its answer, are defined here too. Data alone: `confidence.ts` judges it,
 * `quoting.ts` answers from it, and whatever finds it fills it in.
 */
import { z } from 'zod';

/**
 * Kinds of evidence, the strongest first. `declared`: a manifest, a configuration key, a named constant or a statement
 * in a document. `decided`: a decision record, a plan or a person. `used`: code imports it. `mentioned`: the words
 * occur, which proves nothing.
 */
export const EVIDENCE_KINDS = ['declared', 'decided', 'used', 'mentioned'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** Types of sources, as answers name them. */
export const SOURCE_TYPES = ['plan', 'code', 'research', 'prd'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** Kinds of values that a question can ask for. `text`: a line that gives no value, such as a reason. */
export const VALUE_KINDS = [
  'option',
  'number',
  'duration',
  'size',
  'version',
  'name',
  'person',
  'place',
  'truth',
  'text',
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

/** Most characters of an excerpt: a few lines, so that twenty of them fit into the context of a model. */
export const EXCERPT_CHARS_MAX = 500;

/** Most pieces of evidence for one question: people and models read no more. */
export const EVIDENCE_MAX = 50;

/** Most characters of an option or a value. A longer one is a text, not a choice. */
export const OPTION_CHARS_MAX = 200;

/** Options of one question. */
export const OPTIONS_MAX = 20;

/** Most characters of a question that the search reads. The rest is ignored. */
export const QUESTION_CHARS_MAX = 4_000;

export const evidenceSchema = z.strictObject({
  kind: z.enum(EVIDENCE_KINDS),
  source: z.strictObject({
    type: z.enum(SOURCE_TYPES),
    /** The folder, the plan version or `global`, to which the source applies. */
    scope: z.string().min(1).max(200),
    /** The path inside the scope, with slashes; or the id of a precedent. */
    file: z.string().min(1).max(1_000),
    /** The first line of the excerpt, from 1. */
    line: z.int().min(1),
  }),
  /** The text of the source. It is shown unchanged, and instructions in it are never followed. */
  excerpt: z.string().min(1).max(EXCERPT_CHARS_MAX),
  /** The option or value that the line supports; null if it gives none. */
  speaksFor: z.string().min(1).max(OPTION_CHARS_MAX).nullable(),
  valueKind: z.enum(VALUE_KINDS),
  /** Whether the line states something and holds a value of the kind that the question asks for. */
  isDeclarative: z.boolean(),
  /** The share of the question's weight that the line covers together with its heading or key path: 0 to 1. */
  coverage: z.number().min(0).max(1),
  /** The strength of this piece: 0 to 1. It includes kind and coverage. */
  weight: z.number().min(0).max(1),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** The schema of a request to the port `retrieve`. */
export const retrieveSchema = z.strictObject({
  question: z.string().min(1).max(QUESTION_CHARS_MAX),
  /** The asker's options. If null, those in the question itself (`A or B`) are used. */
  options: z.array(z.string().min(1).max(OPTION_CHARS_MAX)).max(OPTIONS_MAX).nullable(),
  /** The scopes to search; null for all. */
  scopes: z.array(z.string().min(1).max(200)).nullable(),
  limit: z.int().min(1).max(EVIDENCE_MAX),
});
export type Retrieve = z.infer<typeof retrieveSchema>;

/** The answer of the port `retrieve`: evidence, the heaviest first. */
export const retrievalSchema = z.strictObject({
  evidence: z.array(evidenceSchema).max(EVIDENCE_MAX),
  /** False while the index is being built: better evidence may follow. */
  complete: z.boolean(),
});
export type Retrieval = z.infer<typeof retrievalSchema>;

/** Merges two lists of evidence, with each place once and the heaviest first. */
export function joinedEvidence(known: readonly Evidence[], more: readonly Evidence[]): readonly Evidence[] {
  const byPlace = new Map(
    [...known, ...more].map((piece) => {
      const { source, speaksFor } = piece;
      return [JSON.stringify([source.scope, source.file, source.line, speaksFor]), piece] as const;
    }),
  );
  return [...byPlace.values()].sort((a, b) => b.weight - a.weight).slice(0, EVIDENCE_MAX);
}

/** Whether the evidence is binding: a manifest, a configuration, a document or a decision. */
export function isBinding({ kind }: Pick<Evidence, 'kind'>): boolean {
  return kind === 'declared' || kind === 'decided';
}

/** Whether the evidence is more than a mention. */
export function isStrong({ kind }: Pick<Evidence, 'kind'>): boolean {
  return kind !== 'mentioned';
}

/** The place of a source, as people and editors write it: `docs/adr/0003.md:9`. */
export function placeOf({ file, line }: Evidence['source']): string {
  return `${file}:${line}`;
}

/** The form in which options and values are compared, without case, quotes and outer punctuation. */
export function sameValue(value: string): string {
  return value
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
    .replaceAll(/^[\s"'`*.,;:]+|[\s"'`*.,;:]+$/g, '');
}

/**
 * Patterns of instructions to a model that reads a text, including the markers by which models receive instructions.
 */
const ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|all|any|other|earlier|existing)\b/i,
  new RegExp(
    String.raw`\b(?:ais?|llms?|assistants?|(?:coding|ai) (?:agents?|reviewers?)|` +
      String.raw`language models?|chat ?bots?)\b` +
      String.raw`[^.\n]{0,60}\b(?:answer|reply|respond|say|claim|report|recommend)\b`,
    'i',
  ),
  new RegExp(
    String.raw`\b(?:agents?|models?|reviewers?)\b[^.\n]{0,20}\b(?:must|should|always|never|have to)\b[^.\n]{` +
      String.raw`0,10}\b(?:answer|reply|say|claim)\b`,
    'i',
  ),
  new RegExp(
    String.raw`\b(?:note|message|instructions?|attention|important)\b[^.\n]{0,20}\b(?:to|for)\b[^.\n]{0,10}\b` +
      String.raw`(?:ais?|llms?|agents?|assistants?|models?)\b`,
    'i',
  ),
  /\bsystem prompt\b|\byou are (?:an?|the) (?:ai|assistant|agent|language model|helpful)\b|\bas an ai\b/i,
  /\b(?:when|if) (?:you are )?asked\b[^.\n]{0,80}\b(?:answer|reply|respond|say|claim)\b/i,
  /\b(?:always|only|please) (?:answer|reply|respond)\b/i,
  /<\/?(?:system|assistant|instructions?)>|\[\/?INST\]|<\|[a-z_]+\|>/i,
];

/**
 * Whether a text gives instructions to its reader, as a prompt injection does. Such a text counts as a mention at most.
 * This costs little if a document discusses such instructions for good reasons.
 */
export function givesOrders(text: string): boolean {
  return ORDERS.some((order) => order.test(text));
}
