/**
 * Makes a failing plan as short as it will get: fewer steps, fewer sends, fewer failures of effects, then simpler and
 * earlier ones. A plan counts as the same failure where the same property does not hold. Every plan that is tried is
 * run whole, so what is left fails for sure.
 */
import { type Fault } from './faults.ts';
import { callsBefore, type Plan, type Step } from './plan.ts';

export interface Shrunk {
  readonly plan: Plan;
  readonly tries: number;
  /** Whether the time ran out before all candidates were tried. */
  readonly isCut: boolean;
}

interface Options {
  /** Whether a plan fails in the same way as the original. */
  readonly fails: (plan: Plan) => Promise<boolean>;
  readonly isOver: () => boolean;
}

/**
 * Shrinks a plan that fails.
 *
 * @param plan A plan that fails, with all fates of its calls.
 */
export async function shrink(plan: Plan, options: Options): Promise<Shrunk> {
  const shrinker = new Shrinker(plan, options);
  await shrinker.run();
  return { plan: shrinker.best, tries: shrinker.tries, isCut: options.isOver() };
}

class Shrinker {
  best: Plan;
  tries = 0;
  readonly #options: Options;

  constructor(plan: Plan, options: Options) {
    this.best = plan;
    this.#options = options;
  }

  async run(): Promise<void> {
    for (let before = ''; before !== JSON.stringify(this.best) && !this.#options.isOver(); ) {
      before = JSON.stringify(this.best);
      await this.#fewer(
        () => this.best.steps,
        (steps) => ({ ...this.best, steps }),
      );
      await this.#fewer(
        () => Object.entries(this.best.fates ?? {}),
        (fates) => ({ ...this.best, fates: Object.fromEntries(fates) }),
      );
      for (let index = 0; index < this.best.steps.length; index++) await this.#simplify(index);
      for (const call of Object.keys(this.best.fates ?? {})) await this.#soften(call);
      for (const call of Object.keys(this.best.fates ?? {})) await this.#hasten(call);
    }
  }

  /** Removes parts of a list, the largest first (ddmin). */
  async #fewer<T>(list: () => readonly T[], made: (items: readonly T[]) => Plan): Promise<void> {
    for (let size = Math.ceil(list().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at < list().length; ) {
        const rest = [...list().slice(0, at), ...list().slice(at + size)];
        if (!(await this.#try(made(rest)))) at += size;
      }
    }
  }

  async #simplify(index: number): Promise<void> {
    for (let isSimpler = true; isSimpler; ) {
      isSimpler = false;
      for (const step of simplerSteps(this.best.steps[index]!)) {
        const steps = this.best.steps.with(index, step);
        if (!(await this.#try({ ...this.best, steps }))) continue;
        isSimpler = true;
        break;
      }
    }
  }

  async #soften(call: string): Promise<void> {
    const fates = this.best.fates!;
    const fate = fates[call]!;
    if (fate.latencyMs > 0) await this.#try({ ...this.best, fates: { ...fates, [call]: { ...fate, latencyMs: 0 } } });
  }

  /** Gives an earlier call the failing outcome. The sends that led to the later call may then be removed. */
  async #hasten(call: string): Promise<void> {
    const { [call]: fate, ...others } = this.best.fates!;
    for (const earlier of callsBefore(call))
      if (!(earlier in others) && (await this.#try({ ...this.best, fates: { ...others, [earlier]: fate! } }))) return;
  }

  async #try(plan: Plan): Promise<boolean> {
    if (this.#options.isOver()) return false;
    this.tries += 1;
    if (!(await this.#options.fails(plan))) return false;
    this.best = plan;
    return true;
  }
}

/** Steps that may replace a given one, the simplest first. A fault is first replaced by a pause. */
function simplerSteps(step: Step): Step[] {
  const { id } = step;
  const usual: Step[] = step.order === 0 ? [] : [{ ...step, order: 0 }];
  const atRest: Step[] = step.rounds === null ? [] : [{ ...step, rounds: null }];
  const base = { id, order: 0, rounds: null };
  switch (step.kind) {
    case 'send': {
      const fewer = step.sends.map((_, index): Step => ({ ...step, sends: step.sends.toSpliced(index, 1) }));
      return [...(step.sends.length > 1 ? fewer : []), ...usual, ...atRest, ...simplerEvents(step)];
    }
    case 'advance':
      return [...shorter(step.ms).map((ms): Step => ({ ...step, ms })), ...usual, ...atRest];
    default:
      return [
        { ...base, kind: 'advance', ms: pauseOf(step) },
        ...simplerFaults(step).map((fault): Step => ({ ...step, ...fault })),
        ...usual,
        ...atRest,
      ];
  }
}

/** Milliseconds that pass during a fault. */
function pauseOf(fault: Fault): number {
  return 'downMs' in fault ? fault.downMs : 'forMs' in fault ? fault.forMs : 0;
}

function simplerFaults(fault: Fault): Fault[] {
  switch (fault.kind) {
    case 'powerCut':
    case 'processKill':
    case 'tornTail': {
      const plain: Fault = { ...fault, kind: 'powerCut', keep: 0 };
      return [
        ...(fault.kind === 'powerCut' ? [] : [plain]),
        ...(fault.at === 'now' ? [] : [{ ...fault, at: 'now' as const }]),
        ...(fault.at === 'durable' ? [{ ...fault, at: 'before' as const }] : []),
        ...(fault.downMs > 0 ? [{ ...fault, downMs: 0 }] : []),
      ];
    }
    case 'restart':
    case 'workerDeath':
      return fault.downMs > 0 ? [{ ...fault, downMs: 0 }] : [];
    case 'writeFails':
      return [
        ...(fault.applied ? [{ ...fault, applied: false }] : []),
        ...(fault.writes > 1 ? [{ ...fault, writes: 1 }] : []),
      ];
    case 'diskFull':
    case 'sleep':
    case 'wireDelay':
      return shorter(fault.forMs).map((forMs) => ({ ...fault, forMs }));
    case 'wallJump':
      return [];
  }
}

function shorter(ms: number): number[] {
  return [0, 1, 10, 100, 1_000, 60_000].filter((less) => less < ms);
}

/**
 * Variants of an event with smaller numbers and shorter texts. If the schema refuses one, the run fails differently or
 * not at all.
 */
function simplerEvents(step: Step & { kind: 'send' }): Step[] {
  return step.sends.flatMap((send, index) =>
    Object.entries(send.event).flatMap(([key, value]): Step[] => {
      if (key === 'type') return [];
      const simpler = typeof value === 'number' ? [0, 1, Math.trunc(value / 2)] : value === '' ? [] : [''];
      const isText = typeof value === 'string';
      return (typeof value === 'number' || isText ? simpler : [])
        .filter((less) => less !== value && (isText || Math.abs(less as number) < Math.abs(value as number)))
        .map((less) => ({
          ...step,
          sends: step.sends.with(index, { ...send, event: { ...send.event, [key]: less } }),
        }));
    }),
  );
}
