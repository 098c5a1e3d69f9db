/** Messages between the host and the search thread. Plain data. */
import { type Retrieval, type Retrieve } from '../machines/answers/evidence.ts';
import { type FolderReport } from './folder.ts';

/** A folder to read, and the scope under which its contents are found. */
export interface FolderChoice {
  readonly scope: string;
  readonly path: string;
}

export interface ThreadData {
  readonly folders: readonly FolderChoice[];
  /** Whether changed files are read again. */
  readonly isWatching: boolean;
}

export interface KnowledgeReport {
  readonly folders: readonly FolderReport[];
  /** Whether all files have been read. */
  readonly complete: boolean;
  /** Whether changes are noticed. False if watching is off, or if some folders cannot be watched. */
  readonly isWatching: boolean;
}

/** The requests to the thread, each with its answer. */
export interface Requests {
  retrieve: { readonly input: Retrieve; readonly answer: Retrieval };
  report: { readonly input: null; readonly answer: KnowledgeReport };
  refresh: { readonly input: null; readonly answer: KnowledgeReport };
  /** The place of a framework. */
  framework: { readonly input: string; readonly answer: string | null };
  changedAt: { readonly input: null; readonly answer: number | null };
}

export type ToThread = {
  readonly [Name in keyof Requests]: {
    readonly is: Name;
    readonly id: number;
    readonly input: Requests[Name]['input'];
  };
}[keyof Requests];

export type FromThread =
  | { readonly is: 'answer'; readonly id: number; readonly answer: Requests[keyof Requests]['answer'] }
  | { readonly is: 'refused'; readonly id: number; readonly message: string }
  | { readonly is: 'complete' };
