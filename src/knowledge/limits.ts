/** The bounds of what is read and searched, each with its reason. */

/** Statements of one passage: a screen of lines, so that its words belong together. */
export const PASSAGE_LINES_MAX = 12;

/**
 * Lines near an instruction to the reader that are not trusted either, since an instruction may continue in the next
 * sentence.
 */
export const ORDER_LINES_NEAR = 3;

/** Bytes of one file; larger ones are data, bundles or lock files. */
export const FILE_BYTES_MAX = 1024 * 1024;

/** Files of one folder, and bytes of all of them: a large repository, and an index of some hundred megabytes. */
export const FOLDER_FILES_MAX = 20_000;
export const FOLDER_BYTES_MAX = 128 * 1024 * 1024;

/** Names kept of files that were left out, for each reason: enough to recognise them. */
export const LEFT_OUT_NAMED_MAX = 20;

/** Milliseconds to wait for `git ls-files`. After that, the folder is walked instead. */
export const GIT_MS_MAX = 20_000;

/** Bytes of git's output: names of more files than are read. */
export const GIT_BYTES_MAX = 64 * 1024 * 1024;

/** Milliseconds for which the thread indexes before it looks for requests. */
export const SLICE_MS = 20;

/** Milliseconds that the thread waits after a change before it reads the file again, since editors write twice. */
export const CHANGE_QUIET_MS = 200;

/** Most terms of one search, the rarest first: frequent terms cost most and distinguish least. */
export const SEARCH_TERMS_MAX = 6;

/** The share of passages below which a term is rare. */
export const RARE_SHARE = 0.01;

/** The fewest terms that are searched, whatever their frequency: a question is short, and each of its words counts. */
export const SEARCH_TERMS_MIN = 8;

/** Passages judged line by line for one question. */
export const PASSAGES_JUDGED_MAX = 60;

/** Passages judged for one option of a choice. */
export const NAMED_JUDGED_MAX = 200;

/** Different words of all folders. Data of random words has more, and each takes some 500 bytes of the heap. */
export const TERMS_MAX = 1_000_000;

/** Values of one statement that are compared; a line with more is data. */
export const VALUES_JUDGED_MAX = 50;

/** Questions that wait for the thread at the same time. */
export const QUESTIONS_OPEN_MAX = 1_000;

/** Megabytes of the thread's heap. */
export const THREAD_MEGABYTES_MAX = 1_024;

/** Folders that are watched. Each takes one of the system's watchers, of which Linux allows some thousands. */
export const DIRECTORIES_WATCHED_MAX = 2_000;

/** Times in a row that the thread is started again after it has ended by itself, before it is given up. */
export const THREAD_STARTS_MAX = 3;

/** Characters of one line. A longer one is data or a bundle: people wrap, and a paragraph has some thousand at most. */
export const LINE_CHARS_MAX = 5_000;

/** Lines of one file; a file of 1 MiB with more is a list of words or numbers. */
export const FILE_LINES_MAX = 50_000;

/** Statements of one folder. Each takes about 1 KB of the thread's heap, with its words in the index. */
export const FOLDER_STATEMENTS_MAX = 750_000;

/** Characters kept of one statement: two excerpts. Judging it takes time that grows with their square. */
export const STATEMENT_CHARS_MAX = 1_000;

/** Characters kept of a heading, and of the comment above a constant, which stand beside each statement under them. */
export const ABOUT_CHARS_MAX = 300;

/** Characters of a line of code that is an import or a constant; longer lines are made by tools. */
export const CODE_LINE_CHARS_MAX = 1_000;

/** Columns of a table that are read: more do not fit on a page. */
export const COLUMNS_MAX = 50;

/** Characters of a file's path, as many as evidence may name. */
export const PATH_CHARS_MAX = 1_000;

/** Folders within folders that are walked. Patterns of ignore files take time that grows with a power of the depth. */
export const DEPTH_MAX = 64;

/** Bounds of an ignore file: its rules, the characters of one, and the `**` of one. Others are not heeded. */
export const IGNORE_RULES_MAX = 1_000;
export const IGNORE_RULE_CHARS_MAX = 500;
export const IGNORE_RULE_FOLDERS_MAX = 3;

/** Milliseconds after which a folder is read again although it never becomes quiet, as one with a log file. */
export const CHANGE_WAIT_MS_MAX = 5_000;
