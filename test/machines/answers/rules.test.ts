/** The pure rules of the answer team: questions, contexts, queue, cache, triggers, settings, figures and likeness. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { customTrigger, fires } from '../../../src/machines/answers/custom-trigger.ts';
import {
  cacheFor,
  CACHE_MAX,
  CACHE_MS,
  cacheHit,
  cachePut,
  emptyCache,
} from '../../../src/machines/answers/answer-cache.ts';
import { bundleTokens, queryBundle, tokensIn } from '../../../src/machines/answers/bundle.ts';
import { breakBundle, BREAKING_STRATEGIES, suggestedTweak } from '../../../src/machines/answers/bundle-breaking.ts';
import { entryOf, rankOf } from '../../../src/machines/answers/desk-queue.ts';
import { patternsOf, proposalsFor, type Recent, rewardOf } from '../../../src/machines/answers/evolution.ts';
import { counted, NO_FIGURES, reportOf } from '../../../src/machines/answers/metrics.ts';
import { likenessOf, SAME_QUESTION } from '../../../src/machines/answers/precedents.ts';
import { answerProfile } from '../../../src/machines/answers/profile.ts';
import { hasToAsk, qualityOf } from '../../../src/machines/answers/question-quality.ts';
import { type LogEntry, logEntry, OUTCOMES } from '../../../src/machines/answers/resolution-log.ts';
import { BRIEF_TOKENS_MAX, fittedText, formatted, TRUNCATED } from '../../../src/machines/answers/response-format.ts';
import { verdictOf } from '../../../src/machines/answers/thresholds.ts';
import { isUnsureVerification, TRIGGERS, triggerOf } from '../../../src/machines/answers/triggers.ts';
import { normalised } from '../../../src/machines/answers/words.ts';

const DEFAULTS = answerProfile.parse({});

describe('the quality of a question', () => {
  it.each([
    "POST /auth/register: is the password's minimum length 8 or 12? The plan says 'secure'.",
    'Validation errors 400 or 422?',
    'UserService: is an async constructor safe?',
    'Does the nightly export include archived invoices?',
    'Where is the retention of audit rows decided?',
    'Tabs or spaces in generated SQL?',
    'Is src/mail/queue.ts still used?',
    'What is the unit of `latency` in the metrics table?',
    'Who signs the release notes of the beta channel?',
    'Should the cart survive a logout?',
    'May the importer skip rows without an ISBN?',
    'Which timezone do invoice dates have?',
  ])('MX-E05: is good: %s', (question) => {
    expect(qualityOf(question)).toEqual({ isGood: true });
  });

  it.each([
    'How should I handle errors?',
    'What is the best way to do this?',
    'Any advice?',
    'Is this okay?',
    'How do I write tests?',
    'Can you help me with the code?',
    'What should I do next?',
    'How should I structure the files?',
  ])('MX-E06: is vague: %s', (question) => {
    expect(qualityOf(question)).toMatchObject({ isGood: false, reason: 'vague' });
  });

  it.each([
    'Should I refactor the entire auth module?',
    'Can we rewrite everything in Rust while I am here?',
    'Shall I migrate the whole project to ESM?',
    'Should I redesign all of the forms?',
    'May I replace the complete logging architecture?',
  ])('MX-E06: is scope creep: %s', (question) => {
    expect(qualityOf(question)).toMatchObject({ isGood: false, reason: 'scope_creep' });
  });

  it('options turn a vague question into a choice', () => {
    expect(qualityOf('How should I handle errors?', ['throw', 'return'])).toEqual({ isGood: true });
  });

  it('MX-052: an agent that is less than 95 % sure has to ask', () => {
    expect([0, 94, 94.9, 95, 100].map(hasToAsk)).toEqual([true, true, true, false, false]);
  });
});

describe('breaking', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 2_000 });
  const bundles = fc
    .record({
      question: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }).filter((one) => one.trim() !== ''),
      context_summary: fc.string({ maxLength: 500 }),
      relevant_snippets: fc.array(
        fc.record({
          file: fc.constantFrom('a.ts', 'b.md', 'run.log', 'a.ts'),
          content: text.map((one) => one.replaceAll('\n', ' ').repeat(5)),
        }),
        { maxLength: 12 },
      ),
      plan_references: fc.array(fc.record({ section: fc.constantFrom('1', '2b'), quote: fc.option(text) }), {
        maxLength: 5,
      }),
    })
    .map((given) => queryBundle.parse(given));

  it('AT-013, AT-031, AT-034: keeps every context within its bound, and says what it dropped', () => {
    fc.assert(
      fc.property(bundles, fc.constantFrom(...BREAKING_STRATEGIES), (bundle, strategy) => {
        const {
          bundle: kept,
          tokensAfter,
          tokensBefore,
          applied,
          dropped,
        } = breakBundle(bundle, { maxTokens: 2_500, strategy });
        expect(tokensAfter).toBeLessThanOrEqual(2_500);
        expect(tokensAfter).toBe(bundleTokens(kept));
        expect(kept.question).toBe(bundle.question);
        if (tokensBefore <= 2_500) expect(kept).toBe(bundle);
        else {
          expect(applied.length).toBeGreaterThan(0);
          expect(dropped.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(tokensBefore - tokensAfter);
        }
      }),
      { numRuns: 60 },
    );
  });

  const snippets = (count: number, words: string) =>
    Array.from({ length: count }, (_, index) => ({ file: `f${index}.ts`, content: `${words} ${index}\n`.repeat(60) }));
  const large = queryBundle.parse({
    question: 'Does the mailer retry?',
    relevant_snippets: [
      ...snippets(9, 'const colour = paint'),
      { file: 'mailer.ts', content: 'the mailer retries\n'.repeat(60) },
    ],
  });

  it('AT-034: warns from 80 % of the bound on', () => {
    const tokens = bundleTokens(large);
    expect(breakBundle(large, { maxTokens: Math.floor(tokens / 0.8) }).isNearLimit).toBe(true);
    expect(breakBundle(large, { maxTokens: Math.ceil(tokens / 0.79) }).isNearLimit).toBe(false);
  });

  it.each([
    ['discard_low_rel', 7],
    ['prioritize_recent', 2],
  ] as const)('AT-034: %s keeps %i of ten parts', (strategy, count) => {
    const maxTokens = bundleTokens(large) - 1;
    const { bundle, hasFailed } = breakBundle(large, { maxTokens, strategy });
    expect(hasFailed).toBe(false);
    expect(bundle.relevant_snippets).toHaveLength(count);
    expect(bundle.relevant_snippets.map(({ file }) => file)).toContain('mailer.ts');
  });

  it('AT-034: summarize_old brings the oldest six of ten parts to 300 tokens', () => {
    const { bundle } = breakBundle(large, { maxTokens: bundleTokens(large) - 1, strategy: 'summarize_old' });
    const old = bundle.relevant_snippets.slice(0, 6).reduce((sum, { content }) => sum + tokensIn(content), 0);
    expect(old).toBeGreaterThan(200);
    expect(old).toBeLessThanOrEqual(300);
    expect(bundle.relevant_snippets.slice(6)).toEqual(large.relevant_snippets.slice(6));
  });

  it('AT-046: a context that did not fit leads to a suggestion', () => {
    const { bundle, ...broken } = breakBundle(large, { maxTokens: 500, strategy: 'discard_low_rel' });
    expect(bundle.relevant_snippets.length).toBeLessThan(10);
    expect(suggestedTweak({ bundle, ...broken })).toMatch(/^discard_low_rel was not enough: try summarize_old/);
    expect(suggestedTweak(breakBundle(large, { maxTokens: 100_000 }))).toBe(null);
  });
});

describe('the queue', () => {
  it('AT-035, AT-040: ranks urgency before doubt', () => {
    const priorities = fc.constantFrom(1 as const, 2 as const, 3 as const);
    const asked = fc.record({ priority: priorities, confidence: fc.integer({ min: 0, max: 100 }) });
    fc.assert(
      fc.property(asked, asked, (one, other) => {
        if (one.priority < other.priority) expect(rankOf(one)).toBeLessThan(rankOf(other));
        if (one.priority === 1) expect(entryOf(one)).toBe('immediate');
      }),
    );
  });

  it.each([
    [3, 49, 'immediate'],
    [3, 50, 'gathered'],
    [2, 49, 'immediate'],
    [2, 50, 'normal'],
    [2, 75, 'normal'],
    [2, 76, 'gathered'],
    [1, 100, 'immediate'],
  ] as const)('MX-116: takes a question of urgency %i and %i %% as %s', (priority, confidence, entry) => {
    expect(entryOf({ priority, confidence })).toBe(entry);
  });
});

describe('gates', () => {
  it.each([
    [70, 1, 'direct'],
    [69, 1, 'provisional'],
    [40, 1, 'provisional'],
    [39, 1, 'discarded'],
    [100, 0, 'discarded'],
  ] as const)('X-01, CN-012: %i %% with %i sources is %s', (confidence, sources, verdict) => {
    const judged = verdictOf({ confidence, sources }, { directPercent: 70, sourcesMin: 1 });
    expect(judged.verdict).toBe(verdict);
    expect(judged.decisions.map(({ gate }) => gate)).toEqual(['sources', 'direct', 'usable']);
  });
});

describe('the cache', () => {
  it('AT-028: is a model of a hundred least recently used answers', () => {
    const uses = fc.array(fc.tuple(fc.integer({ min: 0, max: 150 }), fc.boolean()), { maxLength: 400 });
    fc.assert(
      fc.property(uses, (all) => {
        let cache = emptyCache();
        let model: string[] = [];
        for (const [number, isPut] of all) {
          const key = `k${number}`;
          if (isPut) {
            cache = cachePut(cache, key, { question: key, atMs: 0 });
            model = [...model.filter((one) => one !== key), key].slice(-CACHE_MAX);
            continue;
          }
          const hit = cacheHit(cache, key, 1);
          expect(hit?.question).toBe(model.includes(key) ? key : undefined);
          if (hit === undefined) continue;
          ({ cache } = hit);
          model = [...model.filter((one) => one !== key), key];
        }
        expect([...cache.cacheOrder.values()]).toEqual(model);
      }),
      { numRuns: 50 },
    );
  });

  it('AT-027: holds an answer for an hour', () => {
    const cache = cachePut(emptyCache('1'), 'k', { question: 'Q-1', atMs: 5 });
    expect(cacheHit(cache, 'k', 5 + CACHE_MS - 1)?.question).toBe('Q-1');
    expect(cacheHit(cache, 'k', 5 + CACHE_MS)).toBe(undefined);
    expect(cacheHit(cacheFor(cache, '1'), 'k', 6)?.question).toBe('Q-1');
    expect(cacheHit(cacheFor(cache, '2'), 'k', 6)).toBe(undefined);
  });
});

describe('the profile', () => {
  it('AT-009, AT-010, AT-011, AT-012, AT-014, AT-015, AT-023, AT-024, AT-025, AT-026: has every default', () => {
    expect(DEFAULTS).toMatchObject({
      template_version: 1,
      team_role: 'On-demand resolver for ambiguities and questions',
      activation_mode: 'trigger_only',
      response_depth: 'brief',
      max_token_output: 1000,
      max_input_bundle: 2500,
      escalation_threshold: 0.7,
      min_source_citations: 1,
      response_format: {
        include_confidence: true,
        include_sources: true,
        include_follow_up_needed: true,
        max_length_chars: 1500,
      },
      integrations: { researcher_team: true, clarity_agent: true, ticket_system: true },
      evolvable_via_uv: true,
      update_triggers: expect.objectContaining({ length: 3 }),
      metrics_tracked: [
        'resolution_time_by_priority',
        'escalation_rate',
        'confidence_accuracy',
        'token_efficiency',
        'source_citation_quality',
      ],
    });
  });

  it('AT-016, AT-017, AT-018, AT-019, AT-020, AT-021, AT-022: has the settings of each trigger, given or not', () => {
    expect(DEFAULTS.standalone_triggers).toEqual([
      { type: 'mcp_askQuestion', priority_boost: true, max_response_time_sec: 15 },
      { type: 'user_direct_query', via: 'ticket_system', auto_clarity_check: true },
      { type: 'planning_ambiguity', auto_escalate: false, background_mode: true },
      { type: 'verification_low_confidence', threshold: 0.6, escalate_p1_immediately: true },
      { type: 'copilot_delegation_issue', via: 'reportIssue', inherit_task_priority: true },
      { type: 'context_overflow_clarification', from: 'breaking_failures', suggest_strategy_tweaks: true },
      { type: 'pattern_based_query', from: 'critic_team', research_enabled: true },
    ]);
    const own = answerProfile.parse({ standalone_triggers: [{ type: 'planning_ambiguity', auto_escalate: true }] });
    expect(triggerOf('planning_ambiguity', own).escalates).toBe(true);
    expect(own.standalone_triggers).toHaveLength(7);
  });

  it('refuses a key that it does not know', () => {
    expect(answerProfile.safeParse({ escalation_treshold: 0.5 }).success).toBe(false);
  });
});

describe('triggers', () => {
  it('AT-038, AT-052, AT-060: are eight rows of their own', () => {
    expect(TRIGGERS.map((name) => triggerOf(name, DEFAULTS).number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it.each([
    [60, false],
    [59, true],
  ])('AT-019, AT-044: a verification at %i %% asks: %s', (confidence, asks) => {
    expect(isUnsureVerification(confidence, DEFAULTS)).toBe(asks);
  });

  it('AT-048: defined by users fire below their bound', () => {
    const trigger = customTrigger.parse({ name: 'slow', measure: 'speed', below: 5, question: 'Why?' });
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (value) => {
        expect(fires(trigger, { measure: 'speed', value })).toBe(value < 5);
        expect(fires(trigger, { measure: 'other', value })).toBe(false);
      }),
    );
  });
});

describe('the form of an answer', () => {
  it('AT-012, AT-023, AT-027, AT-032: keeps the bounds of its depth, and says what it cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 8_000 }),
        fc.constantFrom('brief', 'detailed'),
        (text, response_depth) => {
          const profile = answerProfile.parse({ response_depth });
          const fitted = fittedText(text, profile);
          expect(fitted.length).toBeLessThanOrEqual(1_500);
          expect(tokensIn(fitted)).toBeLessThanOrEqual(response_depth === 'brief' ? BRIEF_TOKENS_MAX : 1_000);
          if (fitted !== text) expect(fitted.endsWith(TRUNCATED)).toBe(true);
        },
      ),
    );
    expect(fittedText('One sentence. '.repeat(400), DEFAULTS)).toMatch(/sentence\.\nDetails truncated/);
  });

  it('AT-023: leaves out what the profile leaves out', () => {
    const source = { type: 'code' as const, location: 'a:1', excerpt: 'a' };
    const response = { answer: 'a', confidence: 80, sources: [source], escalated_to_user: false };
    const whole = { ...response, follow_up_needed: true, suggested_next_actions: null };
    const none = { include_confidence: false, include_sources: false, include_follow_up_needed: false };
    const bare = answerProfile.parse({ response_format: none });
    expect(formatted(whole, DEFAULTS)).toEqual(whole);
    expect(formatted(whole, bare)).toEqual({ ...whole, confidence: 0, sources: [], follow_up_needed: false });
  });
});

const entries = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('resolved' as const),
      question: fc.constant('Q-1'),
      atMs: fc.nat(),
      trigger: fc.constantFrom(...TRIGGERS),
      priority: fc.constantFrom(1 as const, 2 as const, 3 as const),
      outcome: fc.constantFrom(...OUTCOMES),
      confidence: fc.integer({ min: 0, max: 100 }),
      afterMs: fc.nat(70_000),
      deadlineMs: fc.constant(30_000),
      hasTimedOut: fc.boolean(),
      tokens: fc.nat(900),
      sources: fc.nat(5),
      isFollowUp: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('judged' as const),
      question: fc.constant('Q-1'),
      atMs: fc.nat(),
      confidence: fc.integer({ min: 0, max: 100 }),
      wasRight: fc.boolean(),
      hadRightSources: fc.option(fc.boolean()),
      satisfaction: fc.option(fc.integer({ min: 1, max: 5 })),
      from: fc.constant('report' as const),
      verdict: fc.constant('first' as const),
    }),
  ),
  { maxLength: 120 },
);

describe('figures', () => {
  const figure = (log: readonly LogEntry[], name: string) =>
    reportOf(log.reduce(counted, NO_FIGURES), answerProfile.parse({})).find((one) => one.name === name)!;

  it('AT-064: equal a recount by hand', () => {
    fc.assert(
      fc.property(entries, (log) => {
        expect(log.every((entry) => logEntry.safeParse(entry).success)).toBe(true);
        const resolved = log.filter((entry) => entry.kind === 'resolved');
        const escalated = resolved.filter(({ outcome }) => outcome === 'provisional' || outcome === 'escalated');
        const { value, isMet } = figure(log, 'escalation_rate');
        expect(value).toBe(resolved.length === 0 ? null : escalated.length / resolved.length);
        expect(isMet).toBe(value === null ? null : value < 0.2);
        const judged = log.filter((entry) => entry.kind === 'judged');
        expect(figure(log, 'confidence_accuracy').value === null).toBe(judged.length < 50);
      }),
    );
  });

  it('R-05: the accuracy of confidence is 1 for answers that are right as often as they were sure', () => {
    const log = Array.from(
      { length: 50 },
      (_, index): LogEntry => ({
        ...{ kind: 'judged', question: 'Q-1', atMs: 0, confidence: 80, wasRight: index % 5 !== 0 },
        ...{ hadRightSources: null, satisfaction: null, from: 'report', verdict: 'first' },
      }),
    );
    expect(figure(log, 'confidence_accuracy').value).toBeCloseTo(1);
    expect(figure(log.slice(1), 'confidence_accuracy').value).toBe(null);
  });
});

describe('evolution', () => {
  const judged = { kind: 'judged', question: 'Q-1', atMs: 0, hadRightSources: null, satisfaction: null } as const;
  const resolved = {
    ...{ kind: 'resolved', question: 'Q-1', atMs: 0, trigger: 'custom', priority: 2, confidence: 80 },
    ...{ deadlineMs: 30_000, tokens: 1, sources: 1, isFollowUp: false },
  } as const;

  it.each([
    [{ ...judged, confidence: 70, wasRight: true }, 1.5],
    [{ ...judged, confidence: 69, wasRight: true }, 1],
    [{ ...judged, confidence: 95, wasRight: false }, -1],
    [{ ...resolved, outcome: 'direct', afterMs: 15_000, hasTimedOut: false }, 0.3],
    [{ ...resolved, outcome: 'direct', afterMs: 15_001, hasTimedOut: false }, 0],
    [{ ...resolved, outcome: 'escalated', afterMs: 1, hasTimedOut: false }, -0.5],
    [{ ...resolved, outcome: 'escalated', afterMs: 30_000, hasTimedOut: true }, -0.3],
    [{ kind: 'corrected', question: 'Q-1', atMs: 0, users: 1 }, -1],
  ] as const)('AT-055, AT-056: rewards %o with %d', (entry, reward) => {
    expect(rewardOf(entry as LogEntry)).toBe(reward);
  });

  const recent = (count: number, isCase: (index: number) => boolean): Recent[] =>
    Array.from({ length: count }, (_, index) => ({
      ...{ atMs: 0, isEscalated: isCase(index), hasTimedOut: false, isUrgent: false },
      ...{ text: `t${index}`, question: `Q-${index}` },
    }));

  it('AT-057: proposes a lower threshold above 30 % escalations, not at it', () => {
    expect(
      patternsOf(
        recent(10, (index) => index < 3),
        DEFAULTS,
      ),
    ).toEqual([]);
    expect(
      patternsOf(
        recent(10, (index) => index < 4),
        DEFAULTS,
      ),
    ).toMatchObject([{ change: { from: 0.7, to: 0.65 } }]);
  });

  it('AT-058: a cycle has three proposals at most, none of them for older entries', () => {
    const repeated = ['a', 'b', 'c', 'd'].flatMap((text) => recent(3, () => false).map((one) => ({ ...one, text })));
    const profile = DEFAULTS;
    expect(proposalsFor(repeated, { profile, known: [], nowMs: 1 })).toHaveLength(3);
    expect(proposalsFor(repeated, { profile, known: [], nowMs: 24 * 3_600_000 })).toEqual([]);
  });
});

describe('similarity', () => {
  it.each([
    ['Which currency do customers pay in?', 'In which currency do the customers pay?', true],
    ['Is the limit 8 characters?', 'Is the limit 12 characters?', false],
    ['Do we support USD at checkout?', 'Do we support CHF at checkout?', false],
    ['When does the trial end?', 'Where does the trial end?', false],
    ['Should we not retry failed mails?', 'Should we retry failed mails?', false],
    ['Who approves a refund above the limit?', 'Who approves refunds above the limit?', true],
  ])('treats %s and %s as one question: %s', (one, other, isSame) => {
    expect(likenessOf(one, other) >= SAME_QUESTION).toBe(isSame);
  });

  it('is symmetric, and 1 for the same words', () => {
    const texts = fc.array(fc.constantFrom('which', 'port', 'mail', 'print', 'red', '8'), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const [one, other] = [a.join(' '), b.join(' ')];
        expect(likenessOf(one, other)).toBe(likenessOf(other, one));
        expect(likenessOf(one, `${one.toUpperCase()}?`)).toBe(1);
      }),
    );
  });

  it('AT-028: keys are lower case without signs', () => {
    expect(normalised(' Which  Port, "north"?! ')).toBe('which port north');
  });
});
