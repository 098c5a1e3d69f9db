/**
 * One run of a plan: its steps one after the other, the faults among them, then a time without any, and what was to
 * hold all the while. Everything in it follows from the plan.
 */
import { ROOT } from '../../actors/model/address.ts';
import { isBosunError, messageOf } from '../../errors.ts';
import { SESSION_WINDOW_MS } from '../../limits.ts';
import { type ActorSnapshot } from '../../actors/world/actor-view.ts';
import { shown } from '../../gateway/topics/wire-values.ts';
import { faultyStore } from '../faulty-store.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { type Simulation } from './definition.ts';
import { type FaultKind } from './faults.ts';
import { Host } from './host.ts';
import { Judge } from './judge.ts';
import { Outside } from './outside.ts';
import { type ClientSend, type Fate, type Plan, type Step } from './plan.ts';
import { type SentByClient, type View, type Violation } from './properties.ts';
import { type Story } from './story.ts';
import { Traps } from './traps.ts';
import { TurnLog } from './turn-log.ts';

export interface Outcome {
  readonly violation: Violation | undefined;
  /** A hash over all turns and the state at the end. */
  readonly hash: string;
  readonly turns: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly starts: number;
  /** Number of calls of effects by their outcome. */
  readonly calls: ReadonlyMap<Fate['outcome'], number>;
  /** The calls of effects that did not succeed at once, with their outcomes. */
  readonly fates: Readonly<Record<string, Fate>>;
  readonly acked: number;
  readonly refused: number;
  /** Names of the `sometimes` properties that were fulfilled. */
  readonly met: ReadonlySet<string>;
  readonly covered: ReadonlySet<string>;
  /** Places where user code read the machine's clock or its random numbers. */
  readonly asked: ReadonlySet<string>;
}

/** Error codes after which a client repeats its request, because the outcome is unknown or the system was busy. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'BOSUN_SYSTEM_CLOSED',
  'BOSUN_STORE_UNAVAILABLE',
  'BOSUN_STORE_FAILED',
  'BOSUN_OVERLOADED',
  'BOSUN_MAILBOX_FULL',
  'BOSUN_WORKER_DOWN',
]);

/** Error codes of asks that may have been processed and that will get no answer. */
const UNANSWERED: ReadonlySet<string> = new Set(['BOSUN_TIMEOUT', 'BOSUN_ASK_FAILED']);

/** How often a request without an answer is repeated at the end, and the time between repeats. */
const REPEATS = 4;
const REPEAT_MS = 6_000;

let runs = 0;

/**
 * Runs one plan.
 *
 * @param story Records every event of the run as sentences, if a reader wants them.
 */
export async function play<World>(simulation: Simulation<World>, plan: Plan, story?: Story): Promise<Outcome> {
  const run = new Run(simulation, plan, story);
  try {
    return await run.play();
  } finally {
    run.end();
  }
}

class Run<World> {
  readonly #simulation: Simulation<World>;
  readonly #plan: Plan;
  readonly #story: Story | undefined;
  readonly #clock = new VirtualClock(undefined, { isExact: true });
  readonly #log: TurnLog;
  readonly #traps: Traps;
  readonly #world: World;
  readonly #outside: Outside<World>;
  readonly #host: Host;
  readonly #view: View<World>;
  readonly #judge: Judge<World>;
  readonly #acked: SentByClient[] = [];
  readonly #refused: SentByClient[] = [];
  readonly #open = new Map<string, ClientSend>();
  /** Asks whose outcome will never be known. */
  readonly #unanswered: ClientSend[] = [];
  /** Sends acknowledged since the start of the process, by session. */
  readonly #told: [id: string, send: ClientSend, atMs: number][] = [];
  readonly #faults = new Map<FaultKind, number>();
  #starts = 0;
  #seenTurns = -1;

  constructor(simulation: Simulation<World>, plan: Plan, story: Story | undefined) {
    const { options } = simulation;
    this.#simulation = simulation;
    this.#plan = plan;
    this.#story = story;
    const name = `simulation ${++runs}`;
    const clock = this.#clock;
    if (story !== undefined) story.nowMs = () => clock.monotonicMs();
    this.#log = new TurnLog(name, story && ((record) => story.turn(record)));
    this.#traps = new Traps(clock, plan.seed);
    const say = (line: string, address = '') => story?.say(line, address);
    this.#world = options.world?.({ nowMs: () => clock.monotonicMs(), say }) as World;
    this.#outside = new Outside({
      seed: plan.seed,
      clock,
      world: this.#world,
      effects: options.effects ?? {},
      fates: plan.fates,
      tell: say,
    });
    simulation.stubs.outside = this.#outside;
    this.#host = new Host({
      clock,
      stores: Array.from({ length: simulation.workers }, () => faultyStore({ name })),
      seed: plan.seed,
      code: () => this.#code(),
      onStart: () => this.#started(),
      onDeath: () => this.#died(),
      onClosed: (reason) => this.#judge.builtIn('the system does not close by itself', messageOf(reason)),
    });
    this.#view = this.#looking();
    this.#judge = new Judge(simulation, this.#view);
  }

  async play(): Promise<Outcome> {
    await this.#host.start();
    const { steps } = this.#plan;
    for (const [index, step] of steps.entries()) {
      if (this.#judge.violation !== undefined) break;
      this.#judge.step = index;
      await this.#take(step);
    }
    this.#judge.step = steps.length;
    if (this.#judge.violation === undefined) await this.#heal();
    this.#foldEnd();
    await this.#host.stop();
    return {
      violation: this.#judge.violation,
      hash: this.#log.hash.text,
      turns: this.#log.turns,
      faults: this.#faults,
      starts: this.#starts,
      calls: this.#outside.outcomes,
      fates: this.#outside.met,
      acked: this.#acked.length,
      refused: this.#refused.length,
      met: this.#judge.met,
      covered: this.#log.covered,
      asked: this.#traps.asked,
    };
  }

  end(): void {
    this.#simulation.stubs.outside = undefined;
    this.#traps.restore();
    this.#log.end();
  }

  #code() {
    const system = this.#simulation.options.system(this.#world, { actors: this.#simulation.actors });
    return { ...system, agents: this.#simulation.stubs.in(system.agents) };
  }

  async #take(step: Step): Promise<void> {
    const host = this.#host;
    host.begin(step.order);
    if (step.kind === 'send') step.sends.forEach((send, index) => this.#send(send, `c${step.id}.${index}`));
    else if (step.kind === 'advance') await this.#advance(step.ms);
    else {
      this.#faults.set(step.kind, (this.#faults.get(step.kind) ?? 0) + 1);
      this.#story?.fault(step);
      this.#judge.disturbed();
      await host.suffer(step);
    }
    await this.#rest(step.rounds ?? undefined);
    while (host.isDown && this.#judge.violation === undefined) await this.#revive(step.rounds);
  }

  async #revive(rounds: number | null): Promise<void> {
    const regression = await this.#host.revive(() => this.#rest());
    // Died again as it started: a store that is down knows nothing, and is asked when it runs.
    if (this.#host.isDown) return;
    this.#judge.builtIn('a restart goes on from what was shown', regression);
    this.#judge.builtIn('no acknowledged event is forgotten', this.#forgotten());
    this.#repeat();
    await this.#rest(rounds ?? undefined);
  }

  /**
   * Describes a send that was acknowledged before the last death and is missing in the store. Undefined if none is
   * missing.
   */
  #forgotten(): string | undefined {
    const { systems } = this.#host;
    const rememberedMs = this.#clock.monotonicMs() - SESSION_WINDOW_MS;
    const told = this.#told.splice(0).filter(([, , atMs]) => atMs > rememberedMs);
    const lost = told.find(([id]) => systems.every((system) => system.lastSequence(id) === 0));
    return lost && `${lost[1].event.type} to ${lost[1].address} was acknowledged`;
  }

  async #advance(ms: number): Promise<void> {
    this.#story?.passes(ms);
    await this.#clock.advance(ms, () => this.#rest());
  }

  /**
   * Runs deferred work.
   *
   * @param rounds How many rounds of it. Default: until the system is idle.
   */
  async #rest(rounds?: number): Promise<void> {
    const isAtRest = await this.#host.settle(rounds);
    this.#judge.builtIn('the system comes to rest', isAtRest ? undefined : 'it goes on and on while no time passes');
    if (this.#host.isDown) return;
    this.#judge.builtIn('no timer comes up early or twice', this.#log.timers.wrong);
    if (this.#log.turns !== this.#seenTurns || rounds === undefined) this.#judge.observe();
    this.#seenTurns = this.#log.turns;
    if (rounds === undefined) this.#judge.atRest();
  }

  async #heal(): Promise<void> {
    const host = this.#host;
    this.#story?.heals(this.#simulation.healMs);
    host.begin(0);
    host.heal();
    this.#outside.isHealed = true;
    this.#judge.disturbed();
    await this.#rest();
    for (let n = 0; n < REPEATS && this.#open.size > 0; n++) {
      await this.#clock.advance(REPEAT_MS, () => this.#rest());
      this.#repeat();
      await this.#rest();
    }
    await this.#clock.advance(this.#simulation.healMs, () => this.#rest());
    if (this.#judge.violation !== undefined) return;
    this.#judge.atEnd();
    this.#judgeEnd();
  }

  #judgeEnd(): void {
    const { systems } = this.#host;
    const judge = this.#judge;
    const [send] = this.#open.values();
    const isForgotten = send !== undefined && `${send.event.type} to ${send.address} has had no answer to the end`;
    judge.builtIn('no acknowledged event is forgotten', isForgotten || undefined);
    const waiting = systems.flatMap(({ admin }) => admin.waiting());
    const endless = waiting.find(({ kind, address, untilMs }) => {
      if (kind === 'suspended') return true;
      return untilMs === null && (kind !== 'effect' || (address !== null && this.#outside.hung.has(address)));
    });
    const words = endless && waitInWords(endless);
    judge.builtIn('nobody waits without a limit', words);
    const [letter] = judge.asksLetters ? [] : systems.flatMap(({ deadLetters }) => deadLetters.list());
    const why =
      letter && `${letter.event.type} to ${letter.address}: ${letter.reason} ${messageOf(letter.error ?? '')}`;
    judge.builtIn('no dead letter goes unmentioned', why);
    for (const system of systems) judge.builtIn('restarts stay within their intensity', bossesOver(system.tree()));
  }

  #send(send: ClientSend, id: string): void {
    if (!this.#open.has(id)) this.#story?.sends(send);
    this.#open.set(id, send);
    const host = this.#host;
    const { address, event, ask = false } = send;
    const settled = ask ? host.ask(address, event, id) : host.send(address, event, id);
    settled.then(
      (reply) => {
        if (!this.#open.delete(id)) return;
        this.#acked.push(ask ? { ...send, reply } : send);
        if (!ask) this.#told.push([id, send, this.#clock.monotonicMs()]);
      },
      (error: unknown) => {
        const refusal = isBosunError(error) ? error.code : messageOf(error);
        if (TRANSIENT.has(refusal) || !this.#open.delete(id)) return;
        if (ask && UNANSWERED.has(refusal)) this.#unanswered.push(send);
        else this.#refused.push({ ...send, refusal });
        this.#story?.say(`a client is refused: ${event.type} to ${address}, ${refusal}`, address);
      },
    );
  }

  #repeat(): void {
    for (const [id, send] of [...this.#open]) this.#send(send, id);
  }

  #started(): void {
    this.#starts += 1;
    if (this.#starts === 1) return;
    this.#story?.say('the process starts again', '');
  }

  #died(): void {
    this.#log.timers.died();
    this.#traps.died();
  }

  #looking(): View<World> {
    const host = this.#host;
    const clock = this.#clock;
    const open = this.#open;
    const unanswered = this.#unanswered;
    const snapshot = (address: string): ActorSnapshot | undefined => {
      for (const system of host.systems) {
        try {
          const shown = system.snapshot(address);
          if (shown !== undefined) return shown;
        } catch {
          // A state that cannot be read is nobody's to look at.
        }
      }
      return undefined;
    };
    return {
      world: this.#world,
      get nowMs() {
        return clock.monotonicMs();
      },
      snapshot,
      actors: (agent) =>
        host.systems
          .flatMap((system) => [...system.listed(ROOT)])
          .filter((row) => row !== undefined)
          .flatMap((row) =>
            row.agent !== 'boss' && (agent === undefined || row.agent === agent) ? (snapshot(row.address) ?? []) : [],
          ),
      acked: this.#acked,
      refused: this.#refused,
      get open() {
        return [...unanswered, ...open.values()];
      },
      deadLetters: () => host.systems.flatMap((system) => system.deadLetters.list()),
      waiting: () => host.systems.flatMap((system) => system.admin.waiting()),
    };
  }

  #foldEnd(): void {
    if (this.#host.isDown) return;
    const { hash } = this.#log;
    for (const system of this.#host.systems) for (const [life, { seq }] of system.chains()) hash.add(`${life}:${seq}`);
    // As readers see them: the stacks of errors depend on what called for the run.
    for (const { address, effectId, status, context, output } of this.#view.actors())
      hash.add(JSON.stringify([address, effectId, status, shown(context), shown(output)]));
    hash.add(`${this.#acked.length}/${this.#refused.length}`);
  }
}

function waitInWords({
  kind,
  address,
  for: whom,
  state,
}: {
  kind: string;
  address: string | null;
  for: string | null;
  state: unknown;
}): string {
  const who = address ?? 'a host';
  if (kind === 'suspended') return `${who} is suspended, and nobody has resumed it`;
  return `${who}, ${JSON.stringify(state)}, waits for ${whom ?? 'nobody'} (${kind}) and nothing ends that`;
}

interface Branch {
  readonly address: string;
  readonly boss: { readonly intensity: number; readonly restartsInPeriod: number } | null;
  readonly children: readonly Branch[];
}

function bossesOver({ address, boss, children }: Branch): string | undefined {
  if (boss !== null && boss.restartsInPeriod > boss.intensity)
    return `${address} has restarted ${boss.restartsInPeriod} times of ${boss.intensity}`;
  for (const child of children) {
    const over = bossesOver(child);
    if (over !== undefined) return over;
  }
  return undefined;
}
