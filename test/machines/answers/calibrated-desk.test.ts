/**
 * Calibration through the whole desk: teams that are surer or less sure than they are right, whose answers are judged
 * one by one, and what the desk shows of later ones. And the rewards of a change that people have approved.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type AnswerPorts } from '../../../src/machines/answers/answer-ports.ts';
import { binOf, calibrationError, type Outcome, OUTCOMES_TO_RAISE } from '../../../src/machines/answers/calibration.ts';
import { ANSWER_GATE } from '../../../src/machines/answers/confidence.ts';
import { type Evidence } from '../../../src/machines/answers/evidence.ts';
import { type Proposal, rewardOf } from '../../../src/machines/answers/evolution.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { randomOf } from '../../support/chance.ts';
import { byEffort, LONG } from '../../support/effort.ts';
import { AnswerRoom, evidenceFor } from '../../support/machines/answer-room.ts';

/** Confidences that evidence of one kind has, by its lead over other values and its weight. */
const LEAST = 50;
const MOST = 89;

const LEARNED = 200;
/** Teams of each curve, and the later questions of each. */
const TEAMS = byEffort({ quick: 1, ci: 1, soak: 20 });
const LATER = byEffort({ quick: 200, ci: 200, soak: 400 });

const rooms: AnswerRoom[] = [];
afterEach(async () => {
  for (const room of rooms.splice(0)) await room.test.system.stop();
});

/** Evidence of which the desk makes this confidence, as 45 + 35 x lead + 10 x weight. */
function evidenceOf(confidence: number): readonly Evidence[] {
  const best = Math.min(1, (confidence - 45) / 10);
  const lead = Math.max(0, (confidence - 55) / 35);
  const other = best * ((1 - lead) / (1 + lead));
  const rival = evidenceFor('south', { kind: 'used', weight: other });
  return [evidenceFor('north', { weight: best }), ...(other > 0 ? [rival] : [])];
}

const confidenceIn = (question: string) => Number(/with (\d+)/.exec(question)![1]);

/** A team that draws its confidence from the evidence, which the question names. */
const ports: Partial<AnswerPorts> = {
  retrieve: ({ question }) => Promise.resolve({ evidence: [...evidenceOf(confidenceIn(question))], complete: true }),
  formulate: ({ evidence }) =>
    Promise.resolve({ answer: 'Take `north`.', confidence: null, citations: [evidence[0]!] }),
};

/** A team whose model states the confidence that the question names. */
const stating: Partial<AnswerPorts> = {
  retrieve: () =>
    Promise.resolve({
      evidence: [...evidenceOf(MOST), evidenceFor('north', { kind: 'decided' })],
      complete: true,
    }),
  formulate: ({ evidence, bundle: { question } }) =>
    Promise.resolve({
      answer: `Take \`north\`, as its settings say in answer to: ${question}`,
      confidence: confidenceIn(question),
      citations: [evidence[0]!],
    }),
};

/** The share of right answers among those of a confidence. */
type Curve = (confidence: number) => number;

/** An answer as the desk showed it, and whether it is right. */
interface Shown extends Outcome {
  readonly question: string;
  readonly status: string;
}

/** A desk with a team of some curve. */
class Team {
  readonly room: AnswerRoom;
  readonly #random: SeededRandom;
  readonly #curve: Curve;
  /** Parts of a right answer that each tenth owes: the share of right ones hangs on the curve and not on luck. */
  readonly #owed = new Map<number, number>();
  #asked = 0;

  constructor(room: AnswerRoom, random: SeededRandom, curve: Curve) {
    this.room = room;
    this.#random = random;
    this.#curve = curve;
    rooms.push(room);
  }

  static async start(curve: Curve, given: Partial<AnswerPorts>, ...name: readonly (string | number)[]): Promise<Team> {
    return new Team(await AnswerRoom.start({ ports: given }), randomOf(...name), curve);
  }

  /** Asks what nobody has asked before; undefined if there is no answer. */
  async ask(confidence = LEAST + this.#random.integer(MOST - LEAST + 1)): Promise<Shown | undefined> {
    const words = `Which port has service ${++this.#asked} to listen on with ${confidence} workers?`;
    const { status, question_id: question, answer, confidence: shown } = await this.room.askNow(words);
    if (answer === null) return undefined;
    return { question: question!, status, confidence: shown, isRight: this.#isRight(confidence) };
  }

  #isRight(confidence: number): boolean {
    const tenth = binOf(confidence);
    const owed = (this.#owed.get(tenth) ?? this.#random.next()) + Math.min(1, this.#curve(confidence));
    this.#owed.set(tenth, owed >= 1 ? owed - 1 : owed);
    return owed >= 1;
  }

  async judge({ question, isRight }: Shown): Promise<void> {
    const reply = await this.room.order({ type: 'answers.judge', question, wasRight: isRight });
    expect(reply).toEqual({ taken: true, problems: [] });
  }

  /** Asks until so many answers were given, and has each judged if `then` does. */
  async answers(count: number, then?: (shown: Shown) => Promise<void>): Promise<readonly Shown[]> {
    const given: Shown[] = [];
    for (let asked = 0; given.length < count && asked < 5 * count; asked++) {
      const shown = await this.ask();
      if (shown === undefined) continue;
      given.push(shown);
      await then?.(shown);
    }
    return given;
  }
}

/** Curves that no desk knows. In the last one each tenth is right as often as another one claims to be. */
const CURVES: readonly (readonly [string, (random: SeededRandom) => Curve])[] = [
  ['is surer than it is right', () => (confidence) => 0.006 * confidence],
  ['is more often right than it is sure', () => (confidence) => confidence / 100 + 0.3],
  [
    'is right whatever its confidence',
    (random) => {
      const left = [0.55, 0.65, 0.75, 0.85];
      const shares = [...left].map(() => left.splice(random.integer(left.length), 1)[0]!);
      return (confidence) => shares[binOf(confidence) - binOf(LEAST)]!;
    },
  ],
];

const SOURCES = { 'evidence alone': ports, 'what a model states': stating };
const CASES = Object.entries(SOURCES).flatMap(([from, given]) =>
  CURVES.map(([name, curve]) => [name, from, curve, given] as const),
);

describe('a desk whose team', () => {
  it.each(CASES)(
    `%s shows, from %s, a calibration error of at most 0.1 after ${LEARNED} outcomes`,
    LONG,
    async (name, _, curveOf, given) => {
      for (let number = 1; number <= TEAMS; number++) {
        const team = await Team.start(curveOf(randomOf(name, 'curve', number)), given, name, number);
        await team.answers(LEARNED, (shown) => team.judge(shown));
        expect(team.room.desk.bins.reduce((sum, { used }) => sum + used, 0)).toBe(LEARNED);
        const later = await team.answers(LATER);
        expect(later).toHaveLength(LATER);
        expect(calibrationError(later)).toBeLessThanOrEqual(0.1);
      }
    },
  );

  it(`is always right shows no confidence above a gate before ${OUTCOMES_TO_RAISE} outcomes of its bin`, async () => {
    const team = await Team.start(() => 1, ports, 'always right');
    const random = randomOf('always right', 'confidences');
    const used = (confidence: number) => team.room.desk.bins[binOf(confidence)]!.used;
    const direct = new Set<number>();
    for (let asked = 0; asked < 6 * OUTCOMES_TO_RAISE; asked++) {
      const confidence = LEAST + random.integer(ANSWER_GATE - LEAST);
      const known = used(confidence);
      const shown = (await team.ask(confidence))!;
      const isRaised = shown.status === 'answered' || shown.confidence >= ANSWER_GATE;
      if (known < OUTCOMES_TO_RAISE) expect([shown.status, isRaised]).toEqual(['provisional', false]);
      if (isRaised) direct.add(binOf(confidence));
      await team.judge(shown);
      expect(used(confidence)).toBe(known + 1);
    }
    // The outcomes that were waited for do raise it.
    expect(direct).toContain(binOf(ANSWER_GATE - 1));
  });
});

describe('a change that people have approved', () => {
  it('AT-055, AT-056: has the rewards of all entries of the log that came after it', async () => {
    const room = await AnswerRoom.start({ ports });
    rooms.push(room);
    // A team that is mostly wrong has the change taken back.
    const team = new Team(room, randomOf('rewards'), () => 1);
    // Most questions of the day go to people: the threshold is too high.
    for (let asked = 0; asked < 12; asked++) await team.ask(60);
    const { proposals } = await room.order<{ proposals: Proposal[] }>({ type: 'answers.review' });
    const threshold = proposals.find(({ change }) => change.kind === 'threshold')!;
    const before = (await room.log()).length;
    await room.order({ type: 'answers.decide', proposal: threshold.id, by: 'ada', approve: true, reason: 'try it' });
    const given = await team.answers(15, (shown) => team.judge(shown));
    await team.judge({ ...(await team.ask(80))!, isRight: false });
    await room.order({ type: 'answers.correct', question: given[0]!.question, text: 'South.', by: 'ada' });
    // Nothing is known of it, and a person is asked.
    await room.askNow('Which currency do customers pay in with 0 workers?');
    await room.resolve('TK-0001', 'South.');
    const entries = (await room.log()).slice(before);
    const { rewards } = room.desk.proposals.get(threshold.id)!;
    expect(rewards.count).toBe(entries.length);
    expect(rewards.total).toBeCloseTo(
      entries.reduce((sum, entry) => sum + rewardOf(entry), 0),
      9,
    );
    // Of all kinds of entries, with gains and losses.
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['resolved', 'judged', 'corrected', 'settled']));
    const all = new Set(entries.map(rewardOf));
    for (const reward of [0.3, 1, -0.5, -1]) expect(all).toContain(reward);
  });
});
