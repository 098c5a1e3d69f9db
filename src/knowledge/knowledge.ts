/**
 * Knowledge in folders: `knowledgeOf` reads them in a thread of its own and finds evidence for questions, at once and
 * while it still reads. It is the port `retrieve` of the answer desk. Files are only read, never followed; their
 * contents are data.
 */
import { realpathSync, statSync } from 'node:fs';
import { BosunError, messageOf } from '../errors.ts';
import { EVIDENCE_MAX, type Retrieval, type Retrieve, retrieveSchema } from '../machines/answers/evidence.ts';
import { aFlag, anything, needed, problemOfOptions, aText, type OptionRules } from '../option-rules.ts';
import { THREAD_STARTS_MAX } from './limits.ts';
import { ThreadHost } from './thread-host.ts';
import { type FolderChoice, type KnowledgeReport } from './thread-messages.ts';

/** The options of {@link knowledgeOf}. */
export interface KnowledgeOptions {
  /** Whether changed files are read again. Default true. */
  readonly watch?: boolean;
  /** The script of the thread, for tests in which Node may not read TypeScript. */
  readonly entry?: URL;
}

/** A question from a host. All fields but the question have defaults. */
export interface Question {
  readonly question: string;
  /** The asker's options. Default: those that the question names. */
  readonly options?: readonly string[] | null;
  /** The scopes to search. Default: all. */
  readonly scopes?: readonly string[] | null;
  /** Most pieces of evidence. Default 20, at most {@link EVIDENCE_MAX}. */
  readonly limit?: number;
}

const LIMIT_DEFAULT = 20;

const FOLDER_RULES: OptionRules<FolderChoice> = {
  scope: needed('name what the folder holds for, such as the name of its repository', aText),
  path: needed('name the folder', aText),
};
const OPTION_RULES: OptionRules<KnowledgeOptions> = { watch: aFlag, entry: anything };

/** A search for a framework in dependencies and imports: `at` is its place as `file:line`, or why it is not known. */
interface FrameworkSearch {
  readonly found: 'yes' | 'no' | 'unknown';
  readonly at: string | null;
}

/** The searchable contents of some folders. Its creator closes it. */
export interface Knowledge {
  /**
   * Finds evidence for a question, the strongest first. Answers at once; `complete` is false while folders are being
   * read. Rejects with `BOSUN_CONFIG_INVALID`, `BOSUN_KNOWLEDGE_FULL`, `BOSUN_KNOWLEDGE_FAILED` or
   * `BOSUN_KNOWLEDGE_CLOSED`, and with the reason of the signal.
   */
  retrieve(question: Question, facts?: { readonly signal?: AbortSignal }): Promise<Retrieval>;
  /** The numbers of files read, and of files left out by reason. */
  report(): Promise<KnowledgeReport>;
  /** Reads changed files again. Resolves when everything is in the index. */
  refresh(): Promise<KnowledgeReport>;
  /**
   * Looks for a framework in the dependencies and imports of the code as it is now: comments, documents, lock files and
   * examples do not count. Waits until everything has been read; `unknown` if the folders have more than is read.
   */
  framework(name: string, facts?: { readonly signal?: AbortSignal }): Promise<FrameworkSearch>;
  /**
   * The time of the last change of the folders, in milliseconds since 1970, without files that git ignores; null if
   * nobody can tell. The first call also counts when an ignored file was made beside others.
   */
  changedAt(): Promise<number | null>;
  close(): Promise<void>;
}

/**
 * Reads folders, each under a scope. Throws `BOSUN_CONFIG_INVALID` for invalid options and `BOSUN_KNOWLEDGE_FOLDER` for
 * a folder that cannot be read.
 */
export function knowledgeOf(folders: readonly FolderChoice[], options: KnowledgeOptions = {}): Knowledge {
  const problem = problemOfOptions(options, OPTION_RULES);
  if (problem !== undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `knowledgeOf: ${problem}`);
  return new FolderKnowledge(folders.map(checked), options);
}

class FolderKnowledge implements Knowledge {
  readonly #folders: readonly FolderChoice[];
  readonly #options: KnowledgeOptions;
  #thread: ThreadHost;
  /** The number of thread starts since everything was last in the index. */
  #starts = 0;

  constructor(folders: readonly FolderChoice[], options: KnowledgeOptions) {
    this.#folders = folders;
    this.#options = options;
    this.#thread = this.#start();
  }

  async retrieve(question: Question, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Retrieval> {
    return this.#thread.request('retrieve', inputOf(question), signal);
  }

  async report(): Promise<KnowledgeReport> {
    return this.#thread.request('report', null);
  }

  async refresh(): Promise<KnowledgeReport> {
    return this.#thread.request('refresh', null);
  }

  async framework(name: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<FrameworkSearch> {
    const { folders } = await this.#thread.request('refresh', null, signal);
    const at = await this.#thread.request('framework', name, signal);
    if (at !== null) return { found: 'yes', at };
    const isWhole = folders.every(({ leftOut }) => leftOut.over === undefined);
    return isWhole ? { found: 'no', at } : { found: 'unknown', at: 'the folder has more files than are read' };
  }

  async changedAt(): Promise<number | null> {
    return this.#thread.request('changedAt', null);
  }

  async close(): Promise<void> {
    await this.#thread.close(new BosunError('BOSUN_KNOWLEDGE_CLOSED', 'the knowledge was closed'));
  }

  #start(): ThreadHost {
    this.#starts += 1;
    const { entry, watch = true } = this.#options;
    return new ThreadHost(
      { folders: this.#folders, isWatching: watch },
      {
        entry,
        completed: () => (this.#starts = 0),
        // A thread that ended is replaced, and the new one reads everything again; one that never gets there is not.
        ended: () => {
          if (this.#starts < THREAD_STARTS_MAX) this.#thread = this.#start();
        },
      },
    );
  }
}

function checked(folder: FolderChoice, index: number): FolderChoice {
  const problem = problemOfOptions(folder, FOLDER_RULES);
  if (problem !== undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `knowledgeOf: folder ${index}: ${problem}`);
  try {
    const path = realpathSync(folder.path);
    if (statSync(path).isDirectory()) return { scope: folder.scope, path };
  } catch (error) {
    throw unreadable(folder.path, messageOf(error), error);
  }
  throw unreadable(folder.path, 'it is not a folder', undefined);
}

function unreadable(path: string, why: string, cause: unknown): BosunError {
  return new BosunError('BOSUN_KNOWLEDGE_FOLDER', `cannot read the folder ${path}: ${why}`, {
    cause,
    details: { path },
  });
}

function inputOf({ question, options = null, scopes = null, limit = LIMIT_DEFAULT }: Question): Retrieve {
  const { success, data, error } = retrieveSchema.safeParse({ question, options, scopes, limit });
  if (success) return data;
  const { path, message } = error.issues[0]!;
  const bound = path[0] === 'limit' ? `; at most ${EVIDENCE_MAX}` : '';
  throw new BosunError('BOSUN_CONFIG_INVALID', `retrieve: ${path.join('.') || 'question'}: ${message}${bound}`);
}
