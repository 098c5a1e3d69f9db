/**
 * Tells a run as numbered sentences in virtual time: messages, state changes and faults. Repeated sentences are folded,
 * and only actors whose messages led to the violation are included.
 */
import { type TraceRecord } from '../../actors/model/trace-record.ts';
import { messageOf } from '../../errors.ts';
import { type Fault, toldFault } from './faults.ts';
import { type ClientSend } from './plan.ts';
import { type Violation } from './properties.ts';

interface Line {
  readonly atMs: number;
  readonly text: string;
  /** The address of the actor in the line; empty for a line about the whole system. */
  readonly address: string;
  /** The address of the actor that sent the cause; null if no actor did. */
  readonly from: string | null;
}

const BOSS = 'bosun.boss';

/** Most lines of a pattern that is recognised as repeated. */
const PERIOD_MAX = 4;

const TEXT_CHARS_MAX = 160;

/** The state value of a machine without states, which a story does not mention. */
const ONE_STATE = '{}';

export class Story {
  readonly #lines: Line[] = [];
  readonly #states = new Map<string, string>();
  #hasBegun = false;
  /** Returns the time of a line. Set by the run. */
  nowMs: () => number = () => 0;

  say(text: string, address: string): void {
    this.#lines.push({ atMs: this.nowMs(), text, address, from: null });
  }

  sends({ address, event, ask = false }: ClientSend): void {
    this.#hasBegun = true;
    this.say(`a client ${ask ? 'asks' : 'sends'} ${address} ${eventText(event)}`, address);
  }

  passes(ms: number): void {
    this.#hasBegun = true;
    this.say(`${ms} ms pass`, '');
  }

  fault(fault: Fault): void {
    this.#hasBegun = true;
    this.say(`*** ${toldFault(fault)}`, '');
  }

  heals(ms: number): void {
    this.#hasBegun = true;
    this.say(`from here on nothing fails, and ${ms} ms pass`, '');
  }

  turn(record: TraceRecord): void {
    const { address, agent, kind, event, value, cause } = record;
    // What effects and Bosses do is told by what machines hear of it.
    const isEffect = event?.type.startsWith('xstate.promise.') === true;
    if (agent === BOSS || isEffect || (value === null && kind !== 'failed')) return;
    const before = this.#states.get(address);
    const state = stateText(value);
    this.#states.set(address, state);
    if (kind === 'spawn' && !this.#hasBegun) return;
    this.#lines.push({
      atMs: this.nowMs(),
      text: sentence(record, before, state),
      address,
      from: cause?.address ?? null,
    });
  }

  /** The sentences of the story with their numbers. */
  told(violation: Violation): string[] {
    const about = this.#causesOf(violation);
    const lines = this.#lines.filter(({ address }) => address === '' || about.size === 0 || about.has(address));
    return folded(lines).map((text, index) => `${String(index + 1).padStart(3)}. ${text}`);
  }

  /** The actors that the violation names, and all that have sent them something directly or indirectly. */
  #causesOf({ detail }: Violation): Set<string> {
    const known = new Set(this.#lines.map(({ address }) => address));
    const about = new Set([...known].filter((address) => address !== '' && isNamed(address, detail)));
    for (let before = -1; before !== about.size; ) {
      before = about.size;
      for (const { address, from } of this.#lines) if (from !== null && about.has(address)) about.add(from);
    }
    return about;
  }
}

function isNamed(address: string, text: string): boolean {
  const at = text.indexOf(address);
  const isPart = (char: string | undefined) => char !== undefined && /[\w/-]/.test(char);
  return at !== -1 && !isPart(text[at - 1]) && !isPart(text[at + address.length]);
}

function sentence(
  { address, kind, event, cause, change, error, sent }: TraceRecord,
  before: string | undefined,
  state: string,
): string {
  const what = heard(address, event, cause?.address ?? null);
  if (kind === 'failed') return `${what} and fails: ${brief(messageOf(error))}`;
  if (kind === 'stopped') return `${address} is stopped`;
  const at = state === ONE_STATE ? '' : `: ${state}`;
  if (kind === 'spawn') return `${address} is born${at}`;
  if (kind === 'restarted') return `${address} starts anew${at}`;
  const moved = before === undefined || before === state ? `stays ${state}` : `${before} -> ${state}`;
  const changes = Object.entries(change?.set ?? {}).map(([key, value]) => `${key} = ${brief(json(value))}`);
  const sends = sent
    .filter(({ delayMs, to }) => delayMs === null && to !== address)
    .map((one) => `sends ${one.to} ${one.event.type}`);
  const parts = [...(state === ONE_STATE ? [] : [moved]), ...changes, ...sends].join('; ');
  return parts === '' ? what : `${what}: ${parts}`;
}

function heard(address: string, event: TraceRecord['event'], from: string | null): string {
  const type = event?.type ?? '';
  if (type.startsWith('xstate.after.')) return `${address}: its timer of ${type.split('.')[2]} ms comes up`;
  if (type.startsWith('xstate.done.actor.')) return `${address} hears that ${childOf(type)} is done`;
  if (type.startsWith('xstate.error.actor.')) return `${address} hears that ${childOf(type)} has failed`;
  const sender = from === null ? 'a client' : from === address ? 'itself' : from;
  return `${address} takes ${eventText(event)} from ${sender}`;
}

function childOf(type: string): string {
  return type.split('.').slice(3).join('.');
}

function eventText(event: { readonly type: string } | null): string {
  if (event === null) return 'nothing';
  const { type, ...fields } = event;
  return Object.keys(fields).length === 0 ? type : `${type} ${brief(json(fields))}`;
}

function stateText(value: unknown): string {
  return typeof value === 'string' ? value : json(value);
}

function json(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? 'undefined';
}

function brief(text: string): string {
  return text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX)}...`;
}

/** Formats lines with their times. Repeated lines are written once. */
function folded(lines: readonly Line[]): string[] {
  const told: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const { period, times } = repeatAt(lines, at);
    for (const line of lines.slice(at, at + period)) told.push(`${clockText(line.atMs)}  ${line.text}`);
    const end = at + period * times;
    if (times > 1) {
      const last = lines[end - 1]!;
      told.push(`${clockText(last.atMs)}  (the same ${period > 1 ? `${period} lines ` : ''}${times - 1} times more)`);
    }
    at = end;
  }
  return told;
}

/**
 * The shortest pattern that repeats from a line on, with the number of its repetitions; the line itself, once, if none
 * does.
 */
function repeatAt(lines: readonly Line[], at: number): { period: number; times: number } {
  for (let period = 1; period <= PERIOD_MAX; period++) {
    const isSame = (from: number) =>
      from + period <= lines.length &&
      lines.slice(at, at + period).every(({ text }, index) => shape(text) === shape(lines[from + index]!.text));
    let times = 1;
    while (isSame(at + times * period)) times += 1;
    if (times > 2) return { period, times };
  }
  return { period: 1, times: 1 };
}

/** The text with its numbers replaced, so that lines that differ only in a count are equal. */
function shape(text: string): string {
  return text.replace(/ = \d+/g, ' = #');
}

function clockText(ms: number): string {
  return `${(ms / 1_000).toFixed(3).padStart(10)} s`;
}
