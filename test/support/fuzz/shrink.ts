/**
 * Shrinks a story with a difference to the smallest machine and the fewest steps that still end in a difference of the
 * same kind.
 */
import { type Difference, play, type Step, type Story } from './differential.ts';
import { kernel, type Subject } from './hosted.ts';
import { isValueSpec, partsOf, type ValueSpec } from './value-spec.ts';
import { COUNTING_BY, type GuardSpec, type MachineSpec, type NodeSpec, toCode } from './machine-spec.ts';

/** Bound on tries; each takes some milliseconds. */
const TRIES_MAX = 4_000;

interface Failing {
  readonly machine: MachineSpec;
  readonly steps: readonly Step[];
  readonly difference: Difference;
}

/** Tries smaller machines and shorter stories greedily. A story that cannot be built or played is no candidate. */
export async function shrink(story: Story, difference: Difference, subject: Subject = kernel): Promise<Failing> {
  const { machine: name, what } = difference;
  const kind = kindOf(what);
  let tries = 0;
  const attempt = async (machine: MachineSpec, steps: readonly Step[]): Promise<Failing | undefined> => {
    if (tries++ >= TRIES_MAX || !isSound(machine)) return undefined;
    try {
      const played = await play({ machines: new Map([[name, machine]]), steps }, undefined, subject);
      return played.difference && kindOf(played.difference.what) === kind
        ? { machine, steps, difference: played.difference }
        : undefined;
    } catch {
      return undefined;
    }
  };
  const whole = { machine: story.machines.get(name)!, steps: story.steps.map((step) => only(step, name)), difference };
  // Alone, the machine may show no difference; then the whole story is the result.
  let best = (await attempt(whole.machine, whole.steps)) ?? whole;
  let position = 0;
  for (let isBetter = true; isBetter; position = 0) {
    isBetter = false;
    for (let next = nth(best, position); next !== undefined; next = nth(best, position)) {
      const found = await attempt(...next);
      // The part after the removed one has moved to its place.
      if (found === undefined) position += 1;
      else best = found;
      isBetter ||= found !== undefined;
    }
  }
  return best;
}

/** A report for a person: code to paste, events to send, and the result. */
export function report(seed: number, { machine, steps, difference }: Failing): string {
  const script = steps.map((step) =>
    step.kind === 'advance' ? `advance ${step.ms} ms` : sendLine(step, difference.machine),
  );
  const { what, expected, actual, sides = ['createActor', 'Bosun'] } = difference;
  return [
    `seed ${seed}, after step ${difference.step}: ${what}`,
    `  ${sides[0]}: ${expected}`,
    `  ${`${sides[1]}:`.padEnd(sides[0].length + 1)} ${actual}`,
    toCode(machine),
    ...script,
  ].join('\n');
}

function sendLine(step: Extract<Step, { kind: 'send' }>, name: string): string {
  return `send ${JSON.stringify(step.events.get(name))}${step.cut === undefined ? '' : `, power cut: ${step.cut}`}`;
}

function kindOf(what: string): string {
  return `${what.split(' ')[0]} ${what.includes('/') ? 'child' : 'root'}`;
}

function only(step: Step, name: string): Step {
  return step.kind === 'advance'
    ? step
    : { ...step, events: new Map([...step.events].filter(([key]) => key === name)) };
}

function nth(failing: Failing, position: number): [MachineSpec, readonly Step[]] | undefined {
  let index = 0;
  for (const candidate of candidates(failing)) if (index++ === position) return candidate;
  return undefined;
}

function* candidates({ machine, steps, difference }: Failing): Generator<[MachineSpec, readonly Step[]]> {
  if (steps.length > difference.step + 1) yield [machine, steps.slice(0, difference.step + 1)];
  for (let i = 0; i < steps.length; i++) yield [machine, without(steps, i)];
  for (const [i, step] of steps.entries()) {
    if (step.kind === 'send' && step.cut !== undefined)
      yield [machine, without(steps, i, { kind: 'send', events: step.events })];
  }
  for (const [i, step] of steps.entries()) {
    if (step.kind !== 'send') continue;
    for (const events of smallerEvents(step.events)) yield [machine, without(steps, i, { ...step, events })];
  }
  for (const smaller of smallerOf(machine)) yield [smaller as MachineSpec, steps];
}

/** The event of a step with a smaller value, or with none. */
function* smallerEvents(events: Sent): Generator<Sent> {
  for (const [name, { cargo, ...event }] of events) {
    if (cargo === undefined) continue;
    yield new Map([[name, event]]);
    for (const smaller of smallerOf(cargo)) yield new Map([[name, { ...event, cargo: smaller as ValueSpec }]]);
  }
}

type Sent = Extract<Step, { kind: 'send' }>['events'];

function without<T>(items: readonly T[], index: number, ...instead: readonly T[]): T[] {
  return [...items.slice(0, index), ...instead, ...items.slice(index + 1)];
}

/** Whether all states that the machine names exist; XState reports a missing one late and in its own way. */
function isSound({ root, kids }: MachineSpec): boolean {
  const ids = new Set<string>();
  const text = JSON.stringify(root);
  const visit = (node: NodeSpec): boolean => {
    ids.add(node.id);
    const children = Object.values(node.states);
    if (
      children.length > 0 &&
      node.type === undefined &&
      (node.initial === undefined || !(node.initial in node.states))
    )
      return false;
    // Without regions it would be done as soon as it is entered, and may be entered again by that.
    if (node.type === 'parallel' && children.every(({ type }) => type === 'history')) return false;
    return children.every(visit);
  };
  if (!visit(root)) return false;
  const named = [...text.matchAll(/"target":(\[[^\]]*\]|"[^"]*")|"state":"([^"]*)"/g)].flatMap(([, target, state]) =>
    target === undefined ? [state!] : ([JSON.parse(target)] as (string | string[])[]).flat(),
  );
  const sources = [...text.matchAll(/"src":"([^"]*)"/g)].map(([, src]) => src!);
  return (
    named.every((id) => ids.has(id)) &&
    sources.every((src) => src === 'sum' || src in kids) &&
    Object.values(kids).every(isSound)
  );
}

/** Every value with one part removed, large parts first. Parts that keep machines from running for ever stay. */
function* smallerOf(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isBrake(value[i])) yield without(value, i);
    for (let i = 0; i < value.length; i++) for (const part of smallerOf(value[i])) yield without(value, i, part);
    return;
  }
  const record = value as Record<string, unknown>;
  if (isValueSpec(value)) yield* partsOf(value);
  for (const key of Object.keys(record)) {
    if (
      NEEDED.has(key) ||
      (key === 'type' && 'do' in record) ||
      (key === 'guard' && (usesFuel(record[key] as GuardSpec) || isCounting(record)))
    )
      continue;
    yield Object.fromEntries(Object.entries(record).filter(([other]) => other !== key));
  }
  for (const key of Object.keys(record)) {
    if (key === 'check' || key === 'guard' || (key === 'actions' && isCounting(record))) continue;
    for (const part of smallerOf(record[key])) yield { ...record, [key]: part };
  }
}

const NEEDED: ReadonlySet<string> = new Set([
  ...['root', 'kids', 'id', 'states', 'entry', 'exit', 'on', 'always', 'after', 'onDone', 'invoke', 'tags'],
  ...['do', 'is', 'check', 'then', 'target', 'actions', 'src', 'to', 'key', 'by', 'params', 'of', 'x', 'name'],
  ...['how', 'ask', 'value', 'message'],
]);

function isBrake(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'do' in value && value.do === 'burn';
}

/** Whether the actions of a transition are what ends its loop. */
function isCounting({ guard }: { readonly guard?: unknown }): boolean {
  return typeof guard === 'object' && guard !== null && 'by' in guard && guard.by === COUNTING_BY;
}

function usesFuel(guard: GuardSpec): boolean {
  return guard.is === 'fuel' || ((guard.is === 'and' || guard.is === 'or') && guard.of.some(usesFuel));
}
