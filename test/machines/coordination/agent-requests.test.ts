/** Messages and requests of agent functions to the crew, and the replies to them, in the whole crew. */
import { describe, expect, it } from 'vitest';
import { type AgentFunction, type WorkContext } from '../../../src/machines/work/agent-function.ts';
import { type ChallengeGiven, type CrewAnswer, type OpenDebate } from '../../../src/machines/work/crew-requests.ts';
import { type CrewPorts } from '../../../src/machines/crew.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { MARGIN_CHALLENGE } from '../../support/machines/margin-challenge.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const TAKEN = { taken: true, problems: [] };

const DOUBTS: ChallengeGiven = {
  ...MARGIN_CHALLENGE,
  challenged: { agent: 'writer' },
  requiredResponse: 'Where the 28 % come from.',
  requiredEvidence: ['calculation'],
};

const DEFENCE = {
  statement: 'By the plan of sales.',
  evidence: [{ kind: 'calculation', source: 'sheet 3', strength: 0.6 }],
};

/** A plan whose first stage writes and whose second one checks; each does `work` with what it is given. */
async function crewOf(
  work: Readonly<Record<'writer' | 'checker', (context: WorkContext) => Promise<unknown>>>,
  ports: CrewPorts = {},
) {
  const plan = planOf({
    capacity: { checker: 2 },
    stages: {
      write: { agent: 'writer' },
      check: { agent: 'checker', after: ['write'] },
      print: { agent: 'printer', after: ['check'] },
    },
    items: ['ACME'],
  });
  const of =
    (name: 'writer' | 'checker'): AgentFunction =>
    (_, context) =>
      work[name](context);
  const crew = await startWholeCrew(
    plan,
    {
      writer: of('writer'),
      checker: of('checker'),
      printer: async () => 'printed',
    },
    ports,
  );
  await crew.test.settle();
  return crew;
}

/** The crew, and the answer that its checker got. */
async function checking(
  check: (context: WorkContext) => Promise<unknown>,
): Promise<{ crew: WholeCrew; answer: unknown }> {
  let answer: unknown = 'nothing';
  const checker = async (context: WorkContext) => void (answer = await check(context));
  const crew = await crewOf({ writer: async () => 'written', checker });
  return { crew, answer };
}

describe('a challenge sent by an agent', () => {
  it('is answered with its problems if it is not valid (D4)', async () => {
    const { basis: _, ...incomplete } = DOUBTS;
    const { crew, answer } = await checking(({ say }) => say({ kind: 'challenge', content: incomplete }));
    expect(answer).toEqual({ taken: false, problems: [expect.stringContaining('basis')] });
    expect([crew.debates(), crew.state()]).toEqual([[], 'completed']);
  });

  it.each([null, 'I doubt it', 7, []])('is answered with its problems if its content is %j (D4)', async (content) => {
    const { answer } = await checking(({ say }) => say({ kind: 'challenge', content }));
    expect(answer).toMatchObject({ taken: false, problems: [expect.stringContaining('positions')] });
  });

  it('is about the item and in the name of the agent that sends it, whatever its content claims (D7)', async () => {
    const forged = {
      ...DOUBTS,
      item: 'OTHER',
      challenger: { agent: 'ceo', agentType: 'audit' },
      replyTo: 'ceo',
      type: 'debate.outcome',
    };
    const { crew, answer } = await checking(({ say }) => say({ kind: 'challenge', content: forged }));
    expect(answer).toMatchObject(TAKEN);
    expect(crew.debates()).toMatchObject([{ id: 'margin', item: 'ACME', challenger: 'checker', challenged: 'writer' }]);
    expect(crew.debateOf('margin').challenge.challenger).toEqual({ agent: 'checker', agentType: 'audit' });
  });
});

describe('a message sent by an agent', () => {
  it('is answered as taken, or as refused if its receiver does not exist', async () => {
    const { answer } = await checking(async ({ say }) => [
      await say({ kind: 'alert', content: 'The printer is hot.' }),
      await say({ kind: 'finding', content: 'All is well.', to: 'nobody' }),
    ]);
    expect(answer).toEqual([TAKEN, { taken: false, problems: ['nobody here takes a finding for "nobody"'] }]);
  });

  it('is refused with its problems if it is malformed', async () => {
    const { answer } = await checking(({ say }) => say({ kind: 'alert', content: 1, priority: 'urgent' as 'high' }));
    expect(answer).toMatchObject({ taken: false, problems: [expect.stringContaining('priority')] });
  });
});

describe('a request of an agent', () => {
  it('can be a pause: its item is paused once the task has ended, and goes on when people resume it', async () => {
    const { crew, answer } = await checking(({ crew: { pause } }) => pause('waits for the filing'));
    expect(answer).toEqual(TAKEN);
    expect(crew.item('ACME')).toMatchObject({
      phase: 'paused',
      reason: 'waits for the filing',
      done: ['ACME/write', 'ACME/check'],
    });
    await crew.powerCut();
    await crew.ask('coordinator', { type: 'resume.command', item: 'ACME', resumePlan: null, notify: false });
    await crew.test.settle();
    expect(crew.state()).toBe('completed');
  });

  it('can be a decision of people: nothing more of the item starts until they have decided', async () => {
    const gate = { gate: 'legal', title: 'May this be printed?', audience: ['ada'], materials: { pages: 3 } };
    const { crew, answer } = await checking(({ crew: { gate: ask } }) => ask(gate));
    expect(answer).toEqual({ ...TAKEN, isValidated: false });
    expect(crew.gates()).toMatchObject([
      { kind: 'legal', title: 'May this be printed?', audience: ['ada'], isOver: false },
    ]);
    expect(crew.item('ACME').done).toEqual(['ACME/write', 'ACME/check']);
    await crew.powerCut();
    const [open] = crew.gates();
    await crew.ask('gates', { type: 'gate.answer', gate: open!.id, by: 'ada', answer: { decision: 'approve' } });
    await crew.test.settle();
    expect(crew.state()).toBe('completed');
  });

  it('can be a capacity: from then on at most that many tasks of the agent type run at once', async () => {
    const { crew, answer } = await checking(async ({ crew: { capacity } }) => [
      await capacity(1),
      await capacity(3, 'printer'),
    ]);
    expect(answer).toEqual([TAKEN, TAKEN]);
    expect(crew.coordinator().capacity).toEqual({ checker: 1, printer: 3 });
  });

  it('is refused with its problems if it is malformed', async () => {
    const { answer } = await checking(async ({ crew }) => [
      await crew.gate({ gate: 'no blanks', title: 'x' }),
      await crew.capacity(-1),
      await crew.pause('x'.repeat(3_000)),
    ]);
    for (const [index, field] of ['gate', 'capacity', 'reason'].entries())
      expect((answer as CrewAnswer[])[index]).toMatchObject({
        taken: false,
        problems: [expect.stringContaining(field)],
      });
  });
});

describe('an agent whose finding is challenged while it works', () => {
  /** The writer works until the test lets it look at its debates; meanwhile the checker challenges its finding. */
  async function challenged(answer: (context: WorkContext, debates: readonly OpenDebate[]) => Promise<unknown>) {
    let look = () => {};
    const isToLook = new Promise<void>((resolve) => (look = resolve));
    let seen: unknown;
    const tasks = [
      { id: 'ACME', agent: 'writer' },
      { id: 'check', agent: 'checker' },
    ];
    const writer: AgentFunction = async (_, context) => {
      await isToLook;
      const debates = await context.crew.debates();
      seen = { debates, answers: await answer(context, debates) };
    };
    // The challenge goes straight to the desk, so that the debate is about the item of the writer, not of the checker.
    const crew = await startWholeCrew(planOf({ tasks }), { writer, checker: async () => 'doubted' });
    const challenge = { ...DOUBTS, item: 'ACME', challenger: { agent: 'checker' }, type: 'debate.challenge' };
    await crew.ask('debates', challenge);
    await crew.ask('debates', { ...challenge, id: 'elsewhere', item: 'OTHER' });
    look();
    await crew.test.settle();
    return { crew, seen: seen as { debates: readonly OpenDebate[]; answers: unknown } };
  }

  it('is shown the debate and answers it', async () => {
    const { crew, seen } = await challenged(async ({ crew: { acknowledge, respond } }, [debate]) => [
      await acknowledge(debate!.debate),
      await respond(debate!.debate, { statement: 'I know.' }),
      await respond(debate!.debate, DEFENCE),
    ]);
    expect(seen.debates).toMatchObject([
      {
        debate: 'margin',
        item: 'ACME',
        side: 'challenged',
        other: 'checker',
        level: 'L1',
        requiredEvidence: ['calculation'],
      },
    ]);
    expect(seen.answers).toEqual([TAKEN, { taken: true, problems: ['brings no evidence'] }, TAKEN]);
    await crew.powerCut();
    expect(crew.debateOf('margin')).toMatchObject({ rounds: 2, isUnacknowledged: false, level: 'L1' });
    await crew.test.advance(15 * MINUTE_MS);
    expect(crew.debateOf('margin').level).toBe('L1');
    await crew.test.advance(HOUR_MS);
    expect(crew.debateOf('margin')).toMatchObject({ isUnacknowledged: false });
  });

  it('may accept the position of the challenger, and cannot answer a debate between other agents', async () => {
    const { crew, seen } = await challenged(async ({ crew: { accept } }) => [
      await accept('margin'),
      await accept('none'),
    ]);
    expect(seen.answers).toEqual([TAKEN, { taken: false, problems: ['no debate "none"'] }]);
    expect(crew.debates()).toMatchObject([{ id: 'margin', level: 'consensus' }, { id: 'elsewhere' }]);
  });
});

describe('an agent whose finding is challenged after it has ended', () => {
  const challenging = (ports: CrewPorts) =>
    crewOf({ writer: async () => 'written', checker: ({ crew }) => crew.challenge(DOUBTS) }, ports);

  it('answers through the port `defend`, across a power cut, which counts as its acknowledgement', async () => {
    const asked: unknown[] = [];
    let isUp = false;
    const defend: CrewPorts['defend'] = async ({ challenge }) => {
      asked.push([challenge.challenged.agent, challenge.item]);
      return isUp ? DEFENCE : new Promise(() => {});
    };
    const crew = await challenging({ defend });
    isUp = true;
    await crew.powerCut();
    await crew.test.advance(MINUTE_MS);
    expect(asked).toEqual([
      ['writer', 'ACME'],
      ['writer', 'ACME'],
    ]);
    expect(crew.debateOf('margin')).toMatchObject({ rounds: 1, 'said:0': { side: 'challenged', flaw: null } });
    await crew.test.advance(15 * MINUTE_MS);
    expect(crew.debateOf('margin')).toMatchObject({ level: 'L1', isUnacknowledged: false });
  });

  it('accepts the position of the challenger through the port `defend`', async () => {
    const crew = await challenging({ defend: async () => ({ accept: true }) });
    await crew.test.settle();
    expect(crew.debates()).toMatchObject([{ level: 'consensus', summary: { side: 'challenger' } }]);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('down'))],
    ['returns nonsense', () => Promise.resolve(7 as never)],
  ])('counts as having said nothing when the port %s, and people are told', async (_, defend) => {
    const crew = await challenging({ defend });
    await crew.test.advance(MINUTE_MS);
    expect(crew.debateOf('margin')).toMatchObject({ rounds: 0, notKnown: ['what the challenged agent says'] });
    await crew.test.advance(15 * MINUTE_MS);
    expect(crew.debateOf('margin').isUnacknowledged).toBe(true);
  });
});
