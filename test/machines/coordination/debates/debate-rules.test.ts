/**
 * Rules of debates as pure functions: routing, the conservative default, provisional values, the cost of an override,
 * evidence, and past debates.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { challenge, evidenceQuality, flawOf } from '../../../../src/machines/coordination/debates/challenge.ts';
import {
  conservativeChoice,
  type Position,
  type RiskOrder,
} from '../../../../src/machines/coordination/debates/conservative-default.ts';
import { successorId } from '../../../../src/machines/coordination/debates/debate-document.ts';
import {
  type PastDebate,
  patternsOf,
  precedentsOf,
} from '../../../../src/machines/coordination/debates/debate-patterns.ts';
import {
  type ChangedValue,
  dependents,
  type Dependent,
  flaggedIn,
  impactOf,
} from '../../../../src/machines/coordination/debates/downstream-impact.ts';
import { joined, NEUTRAL, PACKS } from '../../../../src/machines/coordination/packs.ts';
import { provisionalOf, reviewHeadline } from '../../../../src/machines/coordination/debates/provisional.ts';
import {
  byUrgency,
  DEBATE_URGENCIES,
  loadText,
  overflow,
  route,
} from '../../../../src/machines/coordination/debates/routing.ts';
import { CHALLENGE, MINUTE_MS } from '../../../support/machines/debate-room.ts';

const CHECKED = challenge.parse(CHALLENGE);

const { riskOrders: RISK_ORDERS, measures: MEASURES } = joined(NEUTRAL, PACKS.finance);

function held(value: Position['value'], facts: Partial<Position> = {}): Position {
  return { statement: String(value), value, worstCase: null, isReversible: null, isVerified: null, ...facts };
}

describe('the routing of debates', () => {
  const load = (expert: string, debates: number, isAvailable = true) => ({ expert, debates, isAvailable });

  it('CA-126: shows the load of an expert as "2/3 debates", and assigns up to three', () => {
    expect([0, 2, 3].map(loadText)).toEqual(['0/3 debates', '2/3 debates', '3/3 debates']);
    expect(route([load('eve', 2)], null)).toEqual({ to: 'expert', expert: 'eve' });
    expect(route([load('eve', 3)], null)).toEqual({ to: 'nobody', reason: 'full' });
  });

  it('CA-126: chooses the expert that was asked for, or else the one with the fewest debates', () => {
    const experts = [load('eve', 2), load('fay', 1), load('gus', 1), load('hal', 0, false)];
    expect(route(experts, null)).toEqual({ to: 'expert', expert: 'fay' });
    expect(route(experts, 'eve')).toEqual({ to: 'expert', expert: 'eve' });
    expect(route(experts, 'hal')).toEqual({ to: 'nobody', reason: 'unavailable' });
    expect(route([], null)).toEqual({ to: 'nobody', reason: 'unavailable' });
  });

  it(
    'CA-130: resolves an overflow by credibility if it can, else applies the default on the critical path ' +
      'and defers the rest',
    () => {
      expect(DEBATE_URGENCIES.map((urgency) => overflow(urgency, true))).toEqual([
        'force-resolve',
        'force-resolve',
        'force-resolve',
      ]);
      expect(DEBATE_URGENCIES.map((urgency) => overflow(urgency, false))).toEqual([
        'reject', // the conservative default
        'defer',
        'defer',
      ]);
    },
  );

  it('CA-128: keeps the order of arrival within one priority', () => {
    const debates = DEBATE_URGENCIES.flatMap((urgency, index) => [
      { urgency, number: 9 - index },
      { urgency, number: 5 - index },
    ]).reverse();
    expect(byUrgency(debates).map(({ urgency, number }) => `${urgency} ${number}`)).toEqual([
      'critical-path 5',
      'critical-path 9',
      'ordinary 4',
      'ordinary 8',
      'supporting 3',
      'supporting 7',
    ]);
  });
});

describe('the conservative default', () => {
  it.each([
    ['target-price', 85, 95, 'challenger'],
    ['target-price', 95, 85, 'challenged'],
    ['risk', 0.2, 0.4, 'challenged'],
    ['margin', 0.28, 0.25, 'challenged'],
    ['discount-rate', 0.09, 0.08, 'challenger'],
    ['rating', 'hold', 'buy', 'challenger'],
    ['rating', 'buy', 'sell', 'challenged'],
    ['view', 'optimistic', 'sceptical', 'challenged'],
  ] as const)('CA-122: compares %s %s with %s and takes the value of the %s', (kind, a, b, side) => {
    const choice = conservativeChoice({ challenger: held(a), challenged: held(b) }, kind, RISK_ORDERS[kind]!);
    expect(choice.side).toBe(side);
    expect(choice.rationale).toMatch(/more cautious than/);
  });

  it(
    'CA-122: takes the less harmful of two incomparable values, then the reversible, then the verified, ' +
      "then the challenger's",
    () => {
      const choose = (challenger: Partial<Position>, challenged: Partial<Position>) =>
        conservativeChoice({ challenger: held('a', challenger), challenged: held('b', challenged) }, 'strategy', null);
      expect(choose({ worstCase: 5 }, { worstCase: 3 })).toEqual({
        side: 'challenged',
        rationale: 'not comparable by value; it does less harm if it is wrong',
      });
      expect(choose({ isReversible: false }, { isReversible: true })).toEqual({
        side: 'challenged',
        rationale: 'not comparable by value; it can be reversed',
      });
      expect(choose({ isVerified: true }, { isVerified: false })).toEqual({
        side: 'challenger',
        rationale: 'not comparable by value; it is verified',
      });
      expect(choose({ worstCase: 1 }, {}).rationale).toMatch(/doubts the finding/);
      expect(choose({}, {}).side).toBe('challenger');
    },
  );

  it('CA-122: does not depend on which side holds which value', () => {
    const orders: fc.Arbitrary<RiskOrder> = fc.constantFrom<RiskOrder>('lowest', 'highest', ['low', 'middle', 'high']);
    const values = fc.oneof(
      fc.double({ noNaN: true }),
      fc.constantFrom('low', 'middle', 'high', 'other'),
      fc.constant(null),
    );
    fc.assert(
      fc.property(orders, values, values, (order, a, b) => {
        const one = conservativeChoice({ challenger: held(a), challenged: held(b) }, 'x', order);
        const other = conservativeChoice({ challenger: held(b), challenged: held(a) }, 'x', order);
        if (one.rationale.startsWith('not comparable')) expect(other.rationale).toBe(one.rationale);
        else expect(other.side).not.toBe(one.side);
      }),
    );
  });
});

describe('a provisional value', () => {
  it('CA-131: has an id, topic, position, alternatives, rationale, deadline and dependents in any dispute', () => {
    const values = fc.oneof(fc.double({ noNaN: true }), fc.string({ maxLength: 5 }), fc.constant(null));
    fc.assert(
      fc.property(
        values,
        values,
        fc.constantFrom(...Object.keys(RISK_ORDERS), 'other'),
        fc.option(fc.nat()),
        fc.nat(),
        (a, b, kind, nextGateAtMs, nowMs) => {
          const positions = { challenger: held(a), challenged: held(b) };
          const facts = {
            positions,
            riskOrder: RISK_ORDERS[kind] ?? null,
            trigger: 'timeout',
            nowMs,
            nextGateAtMs,
          } as const;
          const record = provisionalOf({ ...CHECKED, valueKind: kind }, facts);
          expect(record).toMatchObject({
            debate: 'd-1',
            topic: 'Margin of ACME',
            mark: 'provisional - conservative default',
            appliedAtMs: nowMs,
            dependents: [],
          });
          expect(record.rationale.length).toBeGreaterThan(10);
          expect([record, ...record.alternatives].map(({ side }) => side).toSorted()).toEqual([
            'challenged',
            'challenger',
          ]);
          expect(record.overrideUntilMs).toBeGreaterThan(nowMs);
        },
      ),
    );
  });

  it('CA-132: is announced in the words of the seed', () => {
    expect(reviewHeadline(4)).toBe('4 provisional decisions require review');
  });
});

describe('the cost of an override', () => {
  const one = (fields: Partial<Dependent>): Dependent => ({
    id: 'x',
    measure: 'target_price',
    current: 100,
    response: 'proportional',
    runMs: MINUTE_MS,
    after: [],
    confidence: null,
    ...fields,
  });
  const changed: ChangedValue = { before: 0.25, after: 0.28, confidence: 0.9 };

  it(
    'CA-E15: margin 25 % to 28 % moves the target from $85 to about $95: the DCF and the sensitivity run ' +
      'again, 15 minutes; the risk is only updated',
    () => {
      const list = [
        one({ id: 'risk', measure: 'risk', current: 0.3, response: { perUnit: 5 / 3 } }),
        one({ id: 'sensitivity', current: 85, runMs: 10 * MINUTE_MS, after: ['dcf'] }),
        one({ id: 'dcf', current: 85, runMs: 5 * MINUTE_MS }),
      ];
      const impact = impactOf(list, changed, MEASURES);
      expect(impact).toMatchObject({
        mode: 'serial',
        totalMs: 15 * MINUTE_MS,
        rerun: [{ id: 'dcf' }, { id: 'sensitivity' }],
        updated: [{ id: 'risk' }],
      });
      expect(impact.rerun[0]!.after).toBeCloseTo(95.2);
      expect(impact.rerun[0]!.delta).toBeCloseTo(0.12);
      expect(impact.updated[0]!.delta).toBeCloseTo(0.05);
      // Each decision is on record with its threshold; a small allowance for rounding is part of it.
      const within = { passes: 'atMost', threshold: expect.closeTo(0.1) };
      expect([...impact.rerun, ...impact.updated].map(({ decision }) => decision)).toMatchObject([
        { gate: 'change of target_price', ...within, isPassed: false, outcome: 'rerun' },
        { gate: 'change of target_price', ...within, isPassed: false, outcome: 'rerun' },
        { gate: 'change of risk', ...within, isPassed: true, outcome: 'update' },
      ]);
    },
  );

  it(
    'CA-135: runs again above 10 % of target price, .15 of confidence or .10 of risk, and on any change of ' +
      'a rating',
    () => {
      const rerun = (measure: Dependent['measure'], delta: number) =>
        impactOf(
          [one({ measure, current: 1, response: { perUnit: delta } })],
          { before: 0, after: 1, confidence: 1 },
          MEASURES,
        ).rerun.length === 1;
      expect([rerun('target_price', 0.1), rerun('target_price', 0.11)]).toEqual([false, true]);
      expect([rerun('confidence', -0.15), rerun('confidence', -0.16)]).toEqual([false, true]);
      expect([rerun('risk', 0.1), rerun('risk', 0.11)]).toEqual([false, true]);
      expect([rerun('rating', 0), rerun('rating', 0.001)]).toEqual([false, true]);
    },
  );

  it(
    'CA-135: runs two dependents again in series and more in parallel, after their dependencies, the ' +
      'largest change first',
    () => {
      const deltas = { a: 0.2, b: 0.4, c: 0.3 };
      const list = Object.entries(deltas).map(([id, perUnit]) =>
        one({ id, current: 1, response: { perUnit }, runMs: perUnit * 100 }),
      );
      const unit: ChangedValue = { before: 0, after: 1, confidence: 1 };
      expect(impactOf(list, unit, MEASURES)).toMatchObject({
        mode: 'parallel',
        totalMs: 40,
        rerun: [{ id: 'b' }, { id: 'c' }, { id: 'a' }],
      });
      expect(impactOf(list.slice(0, 2), unit, MEASURES)).toMatchObject({
        mode: 'serial',
        totalMs: expect.closeTo(60),
        rerun: [{ id: 'b' }, { id: 'a' }],
      });
      const chained = list.map((dependent) => ({ ...dependent, after: dependent.id === 'b' ? ['a'] : [] }));
      expect(impactOf(chained, unit, MEASURES)).toMatchObject({
        mode: 'parallel',
        totalMs: expect.closeTo(60),
        rerun: [{ id: 'c' }, { id: 'a' }, { id: 'b' }],
      });
    },
  );

  it(
    'CA-134: flags direct and indirect dependents, runs unpredictable ones again, and caps confidence at ' +
      'that of the new value',
    () => {
      const list = [
        one({ id: 'a', response: 'unknown', confidence: 0.95 }),
        one({ id: 'b', current: null, after: ['a'], confidence: 0.5 }),
      ];
      expect(flaggedIn(list)).toEqual(['a', 'b']);
      expect(impactOf(list, changed, MEASURES)).toMatchObject({
        flagged: ['a', 'b'],
        updated: [],
        rerun: [
          { id: 'a', delta: null, confidence: 0.9 },
          { id: 'b', delta: null, confidence: 0.5 },
        ],
      });
      expect(impactOf([one({})], { ...changed, after: 'sell' }, MEASURES).rerun).toHaveLength(1);
      expect(impactOf([one({})], { ...changed, before: 0 }, MEASURES).rerun).toHaveLength(1);
      expect(impactOf([], changed, MEASURES)).toEqual({
        flagged: [],
        rerun: [],
        updated: [],
        mode: 'serial',
        totalMs: 0,
      });
    },
  );

  it('CA-134: refuses dependents with a circular dependency or a duplicate id', () => {
    const raw = (id: string, after: string[]) => ({
      id,
      measure: 'risk',
      current: 1,
      response: 'unknown',
      runMs: 1,
      after,
    });
    expect(dependents.safeParse([raw('a', ['b']), raw('b', ['a'])]).success).toBe(false);
    expect(dependents.safeParse([raw('a', []), raw('a', [])]).success).toBe(false);
    expect(dependents.safeParse([raw('a', ['z']), raw('b', ['a'])]).success).toBe(true);
  });

  it('CA-134: either runs again or updates every dependent, none before its dependencies', () => {
    const lists = fc
      .array(
        fc.record({ delta: fc.double({ min: 0, max: 1, noNaN: true }), waits: fc.array(fc.nat(), { maxLength: 3 }) }),
        { maxLength: 12 },
      )
      .map((given) =>
        given.map(({ delta, waits }, index) =>
          one({
            id: `n${index}`,
            current: 1,
            response: { perUnit: delta },
            after: index === 0 ? [] : waits.map((nth) => `n${nth % index}`),
          }),
        ),
      );
    fc.assert(
      fc.property(lists, (list) => {
        const { rerun, updated, flagged } = impactOf(list, { before: 0, after: 1, confidence: 1 }, MEASURES);
        expect([...rerun, ...updated].map(({ id }) => id).toSorted()).toEqual([...flagged].toSorted());
        const order = rerun.map(({ id }) => id);
        for (const { id, after } of list)
          for (const other of after)
            if (order.includes(id) && order.includes(other))
              expect(order.indexOf(other)).toBeLessThan(order.indexOf(id));
      }),
    );
  });
});

describe('evidence', () => {
  it('CA-092: counts as a defence if it has the required kind and strength', () => {
    const given = (kind: string, strength: number) => [{ kind, source: 's', strength }];
    expect(flawOf({ ...CHECKED, strengthMin: 0.5 }, given('filing', 0.5))).toBe(null);
    expect(flawOf({ ...CHECKED, requiredEvidence: [] }, given('rumour', 0))).toBe(null);
    expect(flawOf(CHECKED, given('rumour', 1))).toBe('brings none of filing, calculation');
  });

  it('CA-115: has the average strength of the contributions that count', () => {
    const said = (side: 'challenger' | 'challenged', strength: number, flaw: string | null = null) => ({
      side,
      statement: 's',
      evidence: [{ kind: 'filing', source: 's', strength }],
      granted: [],
      atMs: 0,
      flaw,
    });
    const contributions = [said('challenger', 0.6), said('challenged', 0.4), said('challenged', 1, 'brings nothing')];
    expect(evidenceQuality(CHECKED, contributions, 'challenger')).toBeCloseTo(0.7);
    expect(evidenceQuality(CHECKED, contributions, 'challenged')).toBe(0.4);
    expect(evidenceQuality(CHECKED, [], 'challenged')).toBe(0);
  });
});

describe('past debates', () => {
  const past = (
    number: number,
    fields: Partial<PastDebate> = {},
    summary: Partial<PastDebate['summary']> = {},
  ): PastDebate => ({
    id: `p-${number}`,
    number,
    topic: 'Margin',
    valueKind: 'margin',
    challenger: 'ada',
    challenged: 'bob',
    context: CHALLENGE.context,
    provedRight: null,
    ...fields,
    summary: {
      outcome: 'human',
      method: 'decision of an expert',
      level: 3,
      side: 'challenger',
      byPeople: true,
      provisionalSide: null,
      rounds: 2,
      evidenceKinds: ['filing'],
      resolvedAtMs: 0,
      ...summary,
    },
  });

  it('CA-136: yield at most ten precedents, the most similar first, then the latest', () => {
    const other = { context: { sector: 'toys' }, valueKind: 'growth' };
    const alike = (count: number) => Object.fromEntries(Object.entries(CHALLENGE.context).slice(0, count));
    const many = [
      past(1),
      past(2, { context: { ...CHALLENGE.context, size: 'large' } }),
      past(3, other),
      past(4, { ...other, valueKind: 'margin' }),
      past(5),
      past(6, { ...other, context: alike(2) }),
      past(7, { ...other, context: alike(1) }),
    ];
    expect(precedentsOf(many, CHECKED).map(({ id, matches }) => [id, matches])).toEqual([
      ['p-5', 5],
      ['p-1', 5],
      ['p-2', 4],
      ['p-6', 2],
      ['p-4', 0],
    ]);
    expect(
      precedentsOf(
        Array.from({ length: 30 }, (_, n) => past(n)),
        CHECKED,
      ),
    ).toHaveLength(10);
  });

  it('CA-136: show which methods, agents, sides, evidence and fallbacks proved right, and how many overrides', () => {
    const patterns = patternsOf([
      past(1, { provedRight: 'challenger' }),
      past(
        2,
        { provedRight: 'challenged' },
        { outcome: 'confirmed', provisionalSide: 'challenger', method: 'confirmed at a gate', rounds: 4 },
      ),
      past(
        3,
        { provedRight: 'challenger' },
        { outcome: 'overridden', side: 'challenged', provisionalSide: 'challenger', evidenceKinds: ['calculation'] },
      ),
      past(4, {}, { outcome: 'confirmed', byPeople: false, provisionalSide: 'challenger' }),
    ]);
    expect(patterns).toMatchObject({
      debates: 4,
      byMethod: { 'decision of an expert': 3, 'confirmed at a gate': 1 },
      fallback: { confirmed: 1, overridden: 1, right: 1, known: 2 },
      byAgent: { ada: { won: 3, lost: 1, right: 2, known: 3 }, bob: { won: 1, lost: 3, right: 1, known: 3 } },
      bySide: { challenger: { stood: 3, right: 1 }, challenged: { stood: 1, right: 0 } },
      evidenceThatPrevailed: { filing: 3, calculation: 1 },
      meanRounds: { human: 2, confirmed: 3, overridden: 2 },
    });
  });

  it('CA-133: number the debates that follow them', () => {
    expect(['a', 'a~2', 'a~9', 'x'.repeat(64)].map(successorId)).toEqual(['a~2', 'a~3', 'a~10', `${'x'.repeat(62)}~2`]);
  });
});
