/** The place of a session's work, by which its host finds its tree, its processes and its file. */
import { type Scope } from './scope.ts';

/** The place of a session. */
export interface WorkPlace {
  readonly session: string;
  /** The directory of the user. */
  readonly workspace: string;
  readonly scope: Scope | null;
  /** Whether the session works in a tree of its own. */
  readonly isIsolated: boolean;
}
