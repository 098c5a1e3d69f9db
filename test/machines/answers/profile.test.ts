/** The settings of the answer team in the whole crew: what each key changes, and what is refused by its name. */
import { afterEach, describe, expect, it } from 'vitest';
import { answerCrew } from '../../../src/crew-plan.ts';
import { type AnswerPorts, type Formulate } from '../../../src/machines/answers/answer-ports.ts';
import { bundleTokens } from '../../../src/machines/answers/bundle.ts';
import { type Proposal } from '../../../src/machines/answers/evolution.ts';
import { type Figure } from '../../../src/machines/answers/metrics.ts';
import { answerProfile, type GivenProfile } from '../../../src/machines/answers/profile.ts';
import { TRUNCATED } from '../../../src/machines/answers/response-format.ts';
import {
  answering,
  AnswerRoom,
  bound,
  evidenceFor,
  PORT_QUESTION,
  SECOND_MS,
} from '../../support/machines/answer-room.ts';

let room: AnswerRoom | undefined;
afterEach(async () => {
  await room?.test.system.stop();
  room = undefined;
});

async function start(profile: GivenProfile, ports: Partial<AnswerPorts> = answering(90)): Promise<AnswerRoom> {
  return (room = await AnswerRoom.start({ ports, desk: { profile } }));
}

/** The settings of one trigger. */
const trigger = (type: string, settings: object) =>
  ({ standalone_triggers: [{ type, ...settings }] }) as unknown as GivenProfile;

/** Ports that keep what `formulate` is asked. */
function listening(asked: Formulate[], confidence = 90): Partial<AnswerPorts> {
  const ports = answering(confidence) as AnswerPorts;
  return {
    ...ports,
    formulate: (input, facts) => {
      asked.push(input);
      return ports.formulate(input, facts);
    },
  };
}

const ONLY_FORM = 'Response format improvements' as const;

const never = () => new Promise<never>(() => {});

describe('a key with a single value', () => {
  it.each([
    ['AT-009', 'template_version', { template_version: 2 }, 'the only version is 1.0'],
    ['AT-010', 'activation_mode', { activation_mode: 'always_on' }, 'by triggers alone'],
    ['AT-024', 'integrations.clarity_agent', { integrations: { clarity_agent: false } }, 'always reviewed'],
    ['AT-017', 'auto_clarity_check', trigger('user_direct_query', { auto_clarity_check: false }), 'switched off'],
    ['AT-022', 'from', trigger('pattern_based_query', { from: 'anybody' }), 'critic_team'],
  ])('%s: %s is refused by name where it has another one', (_, key, profile, why) => {
    const start = () => answerCrew({ profile: profile as GivenProfile });
    expect(start).toThrow(expect.objectContaining({ code: 'BOSUN_CONFIG_INVALID' }));
    expect(start).toThrow(key);
    expect(start).toThrow(why);
  });
});

describe('a key that is not known', () => {
  it.each([
    { escalation_treshold: 0.8 },
    { integrations: { slack: true } },
    { response_format: { emoji: true } },
    trigger('mcp_askQuestion', { max_response_time: 15 }),
    trigger('mcp_answerQuestion', {}),
    { metrics_tracked: ['happiness'] },
    { update_triggers: ['Whatever works'] },
    { standalone_triggers: [{ type: 'mcp_askQuestion' }, { type: 'mcp_askQuestion' }] } as const,
  ])('is refused: %j', (profile) => {
    expect(() => answerCrew({ profile: profile as unknown as GivenProfile })).toThrow(
      expect.objectContaining({ code: 'BOSUN_CONFIG_INVALID' }),
    );
  });
});

describe('the role and depth of the team', () => {
  it('AT-009: the role is told to who formulates answers', async () => {
    const asked: Formulate[] = [];
    const { askNow } = bound(await start({ team_role: 'The memory of the shop' }, listening(asked)));
    await askNow(PORT_QUESTION);
    expect(asked).toMatchObject([{ role: 'The memory of the shop', depth: 'brief' }]);
  });

  it.each([
    ['brief', 2],
    ['detailed', 3],
  ] as const)('AT-011: an answer that is %s cites up to %i of three sources', async (response_depth, sources) => {
    const line = (number: number) => ({
      source: { type: 'code' as const, scope: 'shop', file: `settings-${number}.json`, line: number },
    });
    const evidence = [1, 2, 3].map((number) => evidenceFor('north', line(number)));
    const ports = { retrieve: () => Promise.resolve({ evidence, complete: true }) };
    const { askNow } = bound(await start({ response_depth }, ports));
    expect((await askNow(PORT_QUESTION)).sources).toHaveLength(sources);
  });

  it('AT-013: a context is broken from the bound on that is set', async () => {
    const asked: Formulate[] = [];
    const { askNow } = bound(await start({ max_input_bundle: 500 }, listening(asked)));
    const snippet = (file: string) => ({ file, content: `const ${file} = 'the port of delivery';\n`.repeat(60) });
    await askNow(PORT_QUESTION, { bundle: { relevant_snippets: [snippet('a'), snippet('b')] } });
    expect(bundleTokens(asked[0]!.bundle)).toBeLessThanOrEqual(500);
  });
});

describe('the form of an answer', () => {
  const sentence = 'The delivery service has to listen on port north, as the settings say. ';
  const long = `Take \`north\`. ${sentence.repeat(90)}`;
  const given = async (profile: GivenProfile) =>
    (await start(profile, answering(90, { answer: long }))).askNow(PORT_QUESTION);

  it.each([
    ['AT-012', { max_token_output: 60, max_length_chars: 20_000 }, 300],
    ['AT-023', { max_token_output: 1_000, max_length_chars: 400 }, 400],
    ['AT-032', {}, 1_500],
  ] as const)('%s: is cut to its bounds %j, and says so', async (_, bounds, chars) => {
    const { max_token_output = 1_000, max_length_chars = 1_500 } = bounds as Partial<Record<string, number>>;
    const { answer, status } = await given({ max_token_output, response_format: { max_length_chars } });
    expect(status).toBe('answered');
    expect(answer!.length).toBeLessThanOrEqual(chars);
    expect(answer!.endsWith(TRUNCATED)).toBe(true);
  });

  it('AT-023: leaves out confidence, sources and the need of a follow-up where it is told to', async () => {
    const without = { include_confidence: false, include_sources: false, include_follow_up_needed: false };
    const { askNow } = bound(await start({ response_format: without }, answering(50)));
    expect(await askNow(PORT_QUESTION)).toMatchObject({
      status: 'provisional',
      confidence: 0,
      sources: [],
      source: null,
      follow_up_needed: false,
    });
  });
});

describe('the gates of an answer', () => {
  it('AT-014: the threshold below which a person is asked is the one that is set', async () => {
    const { askNow } = bound(await start({ escalation_threshold: 0.95 }));
    expect(await askNow(PORT_QUESTION)).toMatchObject({ status: 'provisional', ticket_id: 'TK-0001' });
  });

  it('AT-015: an answer with fewer sources than are asked for is not given', async () => {
    const { askNow } = bound(await start({ min_source_citations: 2 }));
    expect(await askNow(PORT_QUESTION)).toMatchObject({ status: 'waiting', answer: null });
  });
});

describe('the trigger of agents', () => {
  it.each([
    [1, 5],
    [2, 10],
    [3, 20],
  ])('AT-016: urgency %i ends after %i s where the most urgent have 5', async (priority_level, seconds) => {
    const profile = trigger('mcp_askQuestion', { max_response_time_sec: 5 });
    const { ask, test, row } = bound(await start(profile, { ...answering(90), formulate: never }));
    void ask(PORT_QUESTION, { bundle: { priority_level, confidence_level: 10 } });
    await test.advance(seconds * SECOND_MS - 1);
    expect(row('Q-1').status).toBe('working');
    await test.advance(1);
    expect(row('Q-1')).toMatchObject({ status: 'waiting', ticket: 'TK-0001' });
  });

  it.each([
    [true, ['Q-5', 'Q-4']],
    [false, ['Q-4', 'Q-5']],
  ])('AT-016: the queue, with a boost that is %s, is %j', async (priority_boost, queue) => {
    const profile = trigger('mcp_askQuestion', { priority_boost });
    const { ask, test } = bound(await start(profile, { retrieve: never }));
    for (const one of [1, 2, 3, 4]) void ask(`Which port has the service ${one} to listen on?`);
    void ask('Which port has the alarm service to listen on?', { bundle: { priority_level: 1 } });
    await test.settle();
    expect([...room!.desk.queue.values()]).toEqual(queue);
  });
});

describe('the trigger of a verification', () => {
  const asking = (confidence_level: number, taskPriority = 1) => ({
    ...{ trigger: 'verification_low_confidence', taskPriority, asker: 'verifier' },
    bundle: { confidence_level },
  });

  it.each([
    [59, {}, 'answered'],
    [60, {}, 'refused'],
    [60, { threshold: 0.7 }, 'answered'],
  ])('AT-019: is, at %i %% and with %j, %s', async (confidence, settings, status) => {
    const { askNow } = bound(await start(trigger('verification_low_confidence', settings)));
    expect(await askNow(PORT_QUESTION, asking(confidence))).toMatchObject({ status });
  });

  it.each([
    [true, 1, 0],
    [true, 2, 1],
    [false, 1, 1],
  ])('AT-019: escalated at once: %s; with urgency %i it is researched %i times', async (isAtOnce, urgency, times) => {
    let researched = 0;
    const research: AnswerPorts['research'] = () => {
      researched += 1;
      return Promise.resolve({ evidence: [], complete: true });
    };
    const profile = trigger('verification_low_confidence', { escalate_p1_immediately: isAtOnce });
    const { askNow } = bound(await start(profile, { ...answering(50), research }));
    expect(await askNow(PORT_QUESTION, asking(50, urgency))).toMatchObject({ status: 'provisional' });
    expect(researched).toBe(times);
  });
});

describe('the integrations', () => {
  it('AT-024: ask nobody where there are no tickets, and say so', async () => {
    const { askNow } = bound(await start({ integrations: { ticket_system: false } }, {}));
    expect(await askNow('Which currency do customers pay in?')).toMatchObject({
      status: 'refused',
      ticket_id: null,
      problems: ['No source says anything about it.'],
    });
  });

  it('AT-024: replies in tickets are reviewed before an asker has them', async () => {
    const { askNow, order, test, row } = bound(await start({}, {}));
    await askNow('Which currency do customers pay in?');
    const reply = (text: string) => order({ type: 'tickets.reply', ticket: 'TK-0001', by: 'ada', text }, 'tickets');
    await reply('It depends.');
    await test.advance(5 * SECOND_MS);
    expect(row('Q-1').status).toBe('waiting');
    await reply('Customers pay in euro only.');
    await test.advance(5 * SECOND_MS);
    expect(row('Q-1')).toMatchObject({ status: 'answered', by: 'ada' });
  });
});

describe('the changes and reports of the team', () => {
  /** Ten questions, of which all go to people. */
  async function tenEscalated(profile: GivenProfile): Promise<readonly Proposal['change']['kind'][]> {
    const { askNow, order } = bound(await start(profile, {}));
    for (let one = 1; one <= 10; one += 1) await askNow(`Which port has the service ${one} to listen on?`);
    const { proposals } = await order<{ proposals: Proposal[] }>({ type: 'answers.review' });
    return proposals.map(({ change }) => change.kind);
  }

  it.each([
    [{}, ['threshold']],
    [{ update_triggers: [ONLY_FORM] }, []],
    [{ evolvable_via_uv: false }, []],
  ])('AT-025: are, with %j, the proposals %j after ten questions that people got', async (profile, kinds) => {
    expect(await tenEscalated(profile)).toEqual(kinds);
  });

  it('reports the metrics that are tracked, and the measures of success', async () => {
    const { order } = bound(await start({ metrics_tracked: ['token_efficiency'] }));
    const { figures } = await order<{ figures: Figure[] }>({ type: 'answers.metrics' });
    const names = figures.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['token_efficiency', 'resolution_rate', 'satisfaction']));
    expect(names).not.toEqual(expect.arrayContaining(['escalation_rate']));
    expect(names.filter((name) => name.startsWith('resolution_time'))).toEqual([]);
  });
});

describe('settings that are given to a desk at work', () => {
  const configure = (given: GivenProfile) =>
    room!.order({ type: 'answers.configure', profile: answerProfile.parse(given), by: 'ada' });

  it('take effect for the next question, over a crash', async () => {
    await start({});
    expect(await configure({ escalation_threshold: 0.95 })).toMatchObject({ taken: true });
    await room!.powerCut();
    expect(await room!.askNow(PORT_QUESTION)).toMatchObject({ status: 'provisional' });
  });

  it('leave alone what people have approved since, where they are given again', async () => {
    await start({}, {});
    for (let one = 1; one <= 10; one += 1) await room!.askNow(`Which port has the service ${one} to listen on?`);
    const { proposals } = await room!.order<{ proposals: Proposal[] }>({ type: 'answers.review' });
    await room!.order({ type: 'answers.decide', proposal: proposals[0]!.id, by: 'ada', approve: true, reason: 'many' });
    expect(room!.desk.profile.escalation_threshold).toBe(0.65);
    await configure({});
    expect(room!.desk.profile.escalation_threshold).toBe(0.65);
    await configure({ escalation_threshold: 0.8 });
    expect(room!.desk.profile.escalation_threshold).toBe(0.8);
  });

  it('are refused with the key that is wrong', async () => {
    await start({});
    const profile = { ...answerProfile.parse({}), escalation_threshold: 70 };
    const given = room!.order({ type: 'answers.configure', profile, by: 'ada' });
    await expect(given).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
    await expect(given).rejects.toThrow('escalation_threshold');
    expect(room!.desk.profile.escalation_threshold).toBe(0.7);
  });
});
