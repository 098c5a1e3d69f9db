/**
 * Log lines about failed actors, as OTP's crash and supervisor reports: the actor, the event type, the error, and what
 * follows. Pure. A line names the type of an event and never its contents, which may be secret.
 */
import { cut, messageOf } from '../../errors.ts';
import { LOG_ERROR_CHARS_MAX } from '../../limits.ts';
import { LogLine } from '../../log.ts';
import { plainLine } from '../../plain-text.ts';
import { BOSS_AGENT, type RestartMode } from './supervision.ts';

export type IncidentKind =
  | 'crashed'
  /** A Boss has exceeded its restart intensity. */
  | 'gaveUp'
  /** The actor was restarted with its group, or after a delay. Its own crash has its own line. */
  | 'restarted'
  | 'quarantined'
  | 'suspended'
  /** A start has found the actor suspended. */
  | 'stillSuspended'
  /** The actor is stored, but does not run. */
  | 'unreadable';

export interface Who {
  readonly address: string;
  readonly agent: string;
  /** The version; null if it is not known. */
  readonly version: number | null;
}

/** The consequence of a failure for the actor. */
export type Aftermath =
  | { readonly is: 'restarted'; readonly from: RestartMode }
  /** The actor is restarted later. `atMs`: kernel time. */
  | { readonly is: 'waits'; readonly atMs: number }
  | { readonly is: 'ended' }
  /** The actor takes no turns until it is resumed. */
  | { readonly is: 'suspended'; readonly failures: number }
  /** The actor stays in the tree without turns until the code can read it again. */
  | { readonly is: 'held' }
  /** The actor's Boss gives up because of the failure. */
  | { readonly is: 'gaveUp' }
  /** The root gives up, and the system closes. */
  | { readonly is: 'closes' };

export interface Supervision {
  readonly restarts: number;
  /** The number of restarts that its Boss allows within a period. */
  readonly intensity: number;
  readonly periodMs: number;
}

export interface Incident {
  readonly kind: IncidentKind;
  readonly who: Who;
  readonly error: unknown;
  /** Type of the event that crashed it; for a Boss that gave up, the child that caused it. */
  readonly over?: string | null;
  readonly aftermath?: Aftermath;
  readonly supervision?: Supervision;
}

/** Words the log line of an incident. */
export function lineOf({ kind, who, error, over = null, aftermath, supervision }: Incident): LogLine {
  const { address, version } = who;
  const agent = who.agent === BOSS_AGENT ? 'boss' : who.agent;
  const said = error === undefined ? null : shortOf(error);
  const code = codeOf(error);
  const by = version === null ? agent : `${agent} ${version}`;
  const about = over === null ? '' : ` ${PREPOSITIONS[kind]} ${plainLine(over)}`;
  const what = `${address} (${by})${PREDICATES[kind]}${about}`;
  const why = said === null ? '' : `: ${said}${code === null || said.includes(code) ? '' : ` [${code}]`}`;
  const next =
    aftermath === undefined ? '' : `${kind === 'restarted' ? ' was' : ';'} ${sentenceOf(aftermath, address)}`;
  const count = supervision === undefined ? '' : ` (${countOf(supervision)})`;
  return new LogLine(`${what}${why}${next}${count}`, {
    incident: kind,
    address,
    agent,
    version,
    over,
    error: said,
    code,
    ...(aftermath && { next: aftermath.is }),
    ...(aftermath?.is === 'suspended' && { failures: aftermath.failures }),
    ...(aftermath?.is === 'waits' && { restartAt: new Date(aftermath.atMs).toISOString() }),
    ...supervision,
  });
}

/** Words the line that says how many log lines were left out of a period, by kind of incident. */
export function leftOutLine(leftOut: ReadonlyMap<IncidentKind, number>, periodMs: number): LogLine {
  const counts = [...leftOut].map(([kind, count]) => `${count} ${WORDS[kind]}`).join(', ');
  return new LogLine(`left out of the log within ${periodMs} ms: ${counts}`, {
    incident: 'leftOut',
    periodMs,
    leftOut: Object.fromEntries(leftOut),
  });
}

/** Words the line that says how many more actors take no turns after a start. */
export function moreIdleLine(count: number): LogLine {
  return new LogLine(`and ${count} more that ${count === 1 ? 'does' : 'do'} not run: bosun ps --status suspended`, {
    incident: 'leftOut',
    leftOut: { stillSuspended: count },
  });
}

/** Words the line about a system that has closed by itself. */
export function closedLine(error: unknown): LogLine {
  const said = shortOf(error);
  return new LogLine(`the system closed by itself: ${said}`, { incident: 'closed', error: said, code: codeOf(error) });
}

const PREDICATES: Readonly<Record<IncidentKind, string>> = {
  crashed: ' crashed',
  gaveUp: ' gave up',
  restarted: '',
  quarantined: ' had an event put into quarantine',
  suspended: ' was suspended',
  stillSuspended: ' is suspended',
  unreadable: ' cannot be read and does not run',
};

/** Prepositions between an incident and the event or child that caused it. */
const PREPOSITIONS: Readonly<Record<IncidentKind, string>> = {
  crashed: 'on',
  gaveUp: 'over',
  restarted: 'after',
  quarantined: 'of type',
  suspended: 'over',
  stillSuspended: 'over',
  unreadable: 'over',
};

/** Words for incidents in counts. */
const WORDS: Readonly<Record<IncidentKind, string>> = {
  crashed: 'crashed',
  gaveUp: 'gave up',
  restarted: 'restarted',
  quarantined: 'quarantined',
  suspended: 'suspended',
  stillSuspended: 'still suspended',
  unreadable: 'unreadable',
};

function sentenceOf(aftermath: Aftermath, address: string): string {
  switch (aftermath.is) {
    case 'restarted':
      return `restarted from its ${aftermath.from} state`;
    case 'waits':
      return `restarts at ${new Date(aftermath.atMs).toISOString()}`;
    case 'ended':
      return 'ended';
    case 'suspended':
      return `was suspended after ${aftermath.failures} failures, until it is resumed: bosun resume ${address}`;
    case 'held':
      return 'waits for code that can read it';
    case 'gaveUp':
      return 'its Boss gives up';
    case 'closes':
      return 'the system closes';
  }
}

function countOf({ restarts, intensity, periodMs }: Supervision): string {
  const soFar = `${restarts} ${restarts === 1 ? 'restart' : 'restarts'} so far`;
  return `${soFar}; its Boss allows ${intensity} in ${periodMs} ms`;
}

/** The text of an error, on one line. */
function shortOf(error: unknown): string {
  return cut(plainLine(cut(messageOf(error), LOG_ERROR_CHARS_MAX)), LOG_ERROR_CHARS_MAX);
}

/** The code of an error. Errors that reach a line have been admitted, so reading them runs no user code. */
function codeOf(error: unknown): string | null {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === 'string' ? cut(plainLine(code), LOG_ERROR_CHARS_MAX) : null;
}
