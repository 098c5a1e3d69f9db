/**
 * The functions by which the answer team reaches the world: evidence, a draft of an answer, and research outside. Each
 * has a default that needs no key: no evidence, the answerer that only quotes, and no research. Answers of a host are
 * checked; one that is late or malformed counts as not known.
 */
import { z } from 'zod';
import { fits } from '../rules/value-size.ts';
import { type Port, type PortContract, portLogic } from '../work/port.ts';
import { percent, type QueryBundle } from './bundle.ts';
import {
  evidenceSchema,
  type Evidence,
  EVIDENCE_MAX,
  type Retrieval,
  retrievalSchema,
  type Retrieve,
} from './evidence.ts';
import { quotedAnswer } from './quoting.ts';

/** The time limit of a search: a first answer is due within 15 s. */
export const RETRIEVE_MS = 5_000;

/** The request to the port `formulate`. */
export interface Formulate {
  readonly bundle: QueryBundle;
  readonly evidence: readonly Evidence[];
  readonly isComplete: boolean;
  readonly depth: 'brief' | 'detailed';
  /** The role of the answer team, in the words of its settings. */
  readonly role: string;
}

/** Bytes of a draft, which is stored in one table row together with its question. */
export const DRAFT_BYTES_MAX = 44 * 1024;

/** A draft of an answer. */
const draft = z.object({
  answer: z.string().min(1).max(20_000),
  /** The port's confidence, in percent. Null if the draft only repeats evidence, whose confidence then counts. */
  confidence: percent.nullable(),
  citations: z.array(evidenceSchema).max(EVIDENCE_MAX),
  suggested_next_actions: z.array(z.string().max(500)).max(10).nullable().default(null),
});
export const draftSchema = draft.refine((all) => fits(all, DRAFT_BYTES_MAX), `larger than ${DRAFT_BYTES_MAX} bytes`);
export type Draft = z.output<typeof draftSchema>;
/** A draft as a port returns it. */
export type GivenDraft = z.input<typeof draftSchema>;

/** The request to the port `research`. */
export interface Research extends Retrieve {
  /** The evidence so far, which was not sufficient. */
  readonly known: readonly Evidence[];
  /** Milliseconds after which the answer is no longer of use. */
  readonly withinMs: number;
}

/** The functions that a host supplies for answers. */
export interface AnswerPorts {
  /** Finds evidence in the host's knowledge. */
  readonly retrieve: Port<Retrieve, Retrieval>;
  /** Formulates an answer from evidence. Null if the evidence gives none. */
  readonly formulate: Port<Formulate, GivenDraft | null>;
  /** Searches outside sources within the time that the question has left. */
  readonly research: Port<Research, Retrieval>;
}

export const RETRIEVED: PortContract<Retrieval> = {
  what: 'what the sources say',
  answer: retrievalSchema,
  timeoutMs: RETRIEVE_MS,
};
/** The contract of drafts. Neither a draft nor research has its own time limit: the question's deadline ends both. */
export const DRAFT: PortContract<Draft | null> = {
  what: 'the draft of an answer',
  answer: draftSchema.nullable(),
  timeoutMs: 60_000,
};
export const RESEARCHED: PortContract<Retrieval> = {
  what: 'what research has found',
  answer: retrievalSchema,
  timeoutMs: 60_000,
};

const NOTHING: Retrieval = { evidence: [], complete: true };

const embedded: AnswerPorts = {
  retrieve: () => Promise.resolve(NOTHING),
  formulate: ({ evidence, isComplete, depth }) => {
    const { answer, citations } = quotedAnswer({ evidence, isComplete }, depth);
    return Promise.resolve(answer === null ? null : { answer, confidence: null, citations: [...citations] });
  },
  research: () => Promise.resolve(NOTHING),
};

/** The ports as actors for the machine: the host's own, and embedded ones for the rest. */
export function answerPortActors(ports: Partial<AnswerPorts> = {}) {
  const { retrieve, formulate, research } = { ...embedded, ...ports };
  return { retrieve: portLogic(retrieve), formulate: portLogic(formulate), research: portLogic(research) };
}
