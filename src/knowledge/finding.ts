/** A statement as it is judged, and what a judgement finds. Data alone. */
import { type Evidence } from '../machines/answers/evidence.ts';
import { type PassageTerms } from './coverage.ts';
import { type Document, type DocumentPassage } from './document.ts';

/** A statement, with the facts by which it is judged. */
export interface Judgeable {
  readonly document: Document;
  readonly passage: DocumentPassage;
  readonly place: number;
  /** The terms of the question. */
  readonly asked: ReadonlySet<string>;
  /** The terms of the passage. */
  readonly terms: PassageTerms;
  readonly coverage: number;
}

/** A piece of evidence without its source. */
export type Finding = Pick<Evidence, 'kind' | 'speaksFor' | 'valueKind' | 'isDeclarative' | 'coverage' | 'weight'>;
