/**
 * The examples of the triggers, each twice: with a model's answer from the ports, whose figures are those of the
 * example, and by the desk itself, which has nothing but a small repository.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type AnswerPorts, type GivenDraft } from '../../../src/machines/answers/answer-ports.ts';
import { ANSWER_AI } from '../../../src/machines/people/tickets/ticket-messages.ts';
import { type Evidence } from '../../../src/machines/answers/evidence.ts';
import { type AskReply } from '../../../src/machines/answers/question-state.ts';
import { AnswerRoom, evidenceFor, type Order } from '../../support/machines/answer-room.ts';
import { finderOver } from '../../support/knowledge/fixture-finder.ts';

let room: AnswerRoom;
afterEach(() => room.test.system.stop());

/** Ports of a model that reads these sources and says this. */
function model(sources: readonly Evidence[], draft: Omit<GivenDraft, 'citations'>): Partial<AnswerPorts> {
  return {
    retrieve: () => Promise.resolve({ evidence: [...sources], complete: true }),
    formulate: ({ evidence }) => Promise.resolve({ ...draft, citations: [...evidence] }),
  };
}

/** The port of a search over files, given as `path: text`. */
function folder(files: Readonly<Record<string, string>>): Partial<AnswerPorts> {
  const text = Object.entries(files).map(([path, content]) => `=== ${path}\n${content}\n`);
  const finder = finderOver('project', text.join(''));
  return { retrieve: (input) => Promise.resolve({ evidence: finder.evidenceFor(input), complete: true }) };
}

async function start(ports: Partial<AnswerPorts>): Promise<AnswerRoom> {
  return (room = await AnswerRoom.start({ ports }));
}

/** A source of the type, at a place; `file` may end in the name of a section. */
function source(type: Evidence['source']['type'], file: string, speaksFor: string, line = 1): Evidence {
  return evidenceFor(speaksFor, { source: { type, scope: 'project', file, line } });
}

describe('the example of an agent that asks by MCP', () => {
  const QUESTION = 'Which DB for To Do List?';
  const urgent = { priority_level: 1, confidence_level: 40 };
  const plan = (database: string) => ({
    'plan.json': `{
  "product": "To Do List",
  "sections": [
    {
      "id": "9a",
      "database": "${database}",
      "note": "pgvector joins it once there is a search by meaning"
    }
  ]
}
`,
  });

  it('AT-E01: is answered at 92 % by section 9a of the plan, and directly', async () => {
    const answer =
      'PostgreSQL for the To Do List, as section 9a of the plan says; add pgvector for a search by meaning.';
    // The answer has no code, which costs 2 %.
    await start(model([source('plan', 'plan.json:section-9a', 'PostgreSQL')], { answer, confidence: 94 }));
    const reply = await room.askNow(QUESTION, { bundle: urgent });
    expect(reply).toMatchObject({ status: 'answered', answer, confidence: 92, escalated_to_user: false });
    expect(reply.sources).toMatchObject([
      { type: 'plan', location: expect.stringMatching(/^plan\.json:section-9a\b/) },
    ]);
    expect(room.row('Q-1')).toMatchObject({ priority: 1, ticket: null });
  });

  it.each(['PostgreSQL', 'SQLite'])('AT-E01: is answered by the plan itself, which says %s', async (database) => {
    await start(folder(plan(database)));
    const bundle = { ...urgent, possible_options: ['PostgreSQL', 'SQLite'] };
    const reply = await room.askNow('Which database does the To Do List use?', { bundle });
    expect(reply).toMatchObject({ status: 'answered', source: 'plan.json:6', sources: [{ type: 'plan' }] });
    expect(reply.answer).toMatch(new RegExp(`^${database} `));
    expect(reply.confidence).toBeGreaterThanOrEqual(70);
  });
});

describe('the example of a person that asks in a ticket', () => {
  const TITLE = 'Suggest AI model for embeddings';
  const ask = async (title: string, bundle: object = {}) => {
    await room.order({ type: 'tickets.open', kind: 'user_direct_query', title, creator: 'ada' }, 'tickets');
    return room.askNow(title, { trigger: 'user_direct_query', thread: 'TK-0001', asker: 'ada', bundle });
  };
  const thread = () => JSON.stringify(room.context('open-tickets/TK-0001'));

  it('AT-E02: is recommended MiniLM L6-v2 at 88 %, by research and model cards, in its thread', async () => {
    const answer =
      'Take MiniLM L6-v2 for embeddings. For it: 384 dimensions, 80 MB, runs on a CPU. Against it: short texts. ' +
      'The alternative is L12-v2. The model card has more.';
    const found = [
      source('research', 'research/embeddings.md', 'MiniLM L6-v2', 4),
      source('research', 'model-cards/minilm-l6-v2.md', 'MiniLM L6-v2', 12),
    ];
    await start(model(found, { answer, confidence: 90 }));
    const reply = await ask(TITLE);
    expect(reply).toMatchObject({ status: 'answered', confidence: 88, answer });
    expect(reply.sources.map(({ type, location }) => [type, location])).toEqual([
      ['research', 'research/embeddings.md:4'],
      ['research', 'model-cards/minilm-l6-v2.md:12'],
    ]);
    expect(thread()).toContain('384 dimensions');
    expect(thread()).toContain(ANSWER_AI);
  });

  it('AT-E02: is quoted the model that a document of the repository names', async () => {
    await start(folder({ 'docs/models.md': '# Models\n\nThe embedding model is MiniLM-L6-v2.\n' }));
    const reply = await ask('Which embedding model do we use?');
    expect(reply).toMatchObject({ status: 'answered', source: 'docs/models.md:3' });
    expect(reply.answer).toMatch(/^MiniLM-L6-v2/);
    expect(thread()).toContain('docs/models.md:3');
  });
});

describe('the example of a plan that is not clear', () => {
  const byPlanning = { trigger: 'planning_ambiguity', taskPriority: 1, asker: 'planner' };
  const OPTIONS = ['PostgreSQL', 'SQLite'];

  it('AT-E03: has both choices, one of them recommended, and the next question of the planner', async () => {
    const answer =
      'For the Calendar use storage in `PostgreSQL` if it syncs across devices, else SQLite for a first version; ' +
      'recommended for a module of priority 1: PostgreSQL.';
    const next = 'Ask: does the Calendar sync across devices?';
    const draft = { answer, confidence: 90, suggested_next_actions: [next] };
    await start(model([source('plan', 'plan.json', 'PostgreSQL', 20)], draft));
    const reply = await room.askNow('Storage type unclear for Calendar', {
      ...byPlanning,
      bundle: { possible_options: OPTIONS },
    });
    expect(reply).toMatchObject({ status: 'answered', answer, suggested_next_actions: [next], ticket_id: null });
    expect(room.row('Q-1').priority).toBe(1);
  });

  it('AT-E03: has the choice of a decision in the repository, and no ticket where there is none', async () => {
    await start(
      folder({
        'docs/adr/0004-calendar.md':
          '# 4. Storage of the calendar\n\nStatus: accepted\n\nThe calendar stores its entries in PostgreSQL.\n',
      }),
    );
    const ask = (choice: string) => room.askNow(`Does the calendar store its entries in ${choice}?`, byPlanning);
    expect(await ask('PostgreSQL or SQLite')).toMatchObject({
      status: 'answered',
      answer: expect.stringMatching(/^PostgreSQL /),
      source: 'docs/adr/0004-calendar.md:5',
    });
    expect(await ask('Redis or MongoDB')).toMatchObject({ status: 'refused', ticket_id: null });
  });
});

describe('the example of a verification that is not sure', () => {
  const unsure = { confidence_level: 59 };
  const byVerification = {
    ...{ trigger: 'verification_low_confidence', taskPriority: 2, asker: 'verifier' },
    bundle: unsure,
  };

  it('AT-E04: must fail at 95 % by line 12 of the settings, and is to be run again', async () => {
    const answer = 'The warning is not acceptable: `max-warnings=0` in .eslintrc makes every one of them a failure.';
    const again = 'Run the verification again in strict mode.';
    const draft = { answer, confidence: 95, suggested_next_actions: [again] };
    await start(model([source('code', '.eslintrc', '0', 12)], draft));
    const reply = await room.askNow('Is the warning no-unused-vars acceptable?', byVerification);
    expect(reply).toMatchObject({ status: 'answered', confidence: 95, source: '.eslintrc:12', answer });
    expect(reply.suggested_next_actions).toEqual([again]);
  });

  it.each(['0', '10'])('AT-E04: is told the bound of the repository, which is %s', async (bound) => {
    await start(
      folder({ 'package.json': `{\n  "scripts": {\n    "lint": "eslint --max-warnings ${bound} ."\n  }\n}\n` }),
    );
    const reply = await room.askNow('Does the lint allow 0 or 10 warnings?', byVerification);
    expect(reply).toMatchObject({ status: 'answered', source: 'package.json:3' });
    expect(reply.answer).toMatch(new RegExp(`^${bound} `));
  });

  it('AT-E04, AT-044: is asked of people without a source, while nothing stands still', async () => {
    await start(folder({}));
    const bundle = { ...unsure, current_task_id: 'TASK-1' };
    const reply = await room.askNow('Is the warning no-unused-vars acceptable?', { ...byVerification, bundle });
    expect(reply).toMatchObject({ status: 'waiting', ticket_id: 'TK-0001' });
    expect(room.context('open-tickets/TK-0001')).toMatchObject({ question: { isBlocking: false } });
  });
});

describe('the example of a delegated task', () => {
  const byCoder = { trigger: 'copilot_delegation_issue', taskPriority: 1, asker: 'coder' };
  const given = (asked: AskReply) =>
    room.emitted.filter(({ type }: Order) => type === 'answer.given' && asked.status === 'answered');

  it('AT-E05: has the transform of babel-jest at 90 %, by the settings of Jest, and the coder goes on', async () => {
    const answer = "In jest.config.js of the setup: `transform: { '\\\\.ts$': 'babel-jest' }`; the rest of it stays.";
    await start(model([source('code', 'jest.config.js', 'babel-jest', 3)], { answer, confidence: 90 }));
    const reply = await room.askNow('Unclear Jest setup', byCoder);
    expect(reply).toMatchObject({ status: 'answered', confidence: 90, source: 'jest.config.js:3', answer });
    expect(given(reply)).toHaveLength(1);
    expect(room.row('Q-1')).toMatchObject({ priority: 1, isOver: true });
  });

  it('AT-E05: has what the repository says of its tests', async () => {
    await start(
      folder({
        'docs/testing.md': '# Tests\n\nJest transforms .ts files with babel-jest.\n',
        'package.json': '{\n  "devDependencies": {\n    "babel-jest": "^29.0.0"\n  }\n}\n',
      }),
    );
    const reply = await room.askNow('Does Jest transform .ts files with babel-jest or ts-jest?', byCoder);
    expect(reply.answer).toMatch(/^babel-jest /);
    expect(reply.sources.map(({ location }) => location)).toContain('docs/testing.md:3');
    expect(reply.confidence).toBeGreaterThanOrEqual(70);
  });
});

it('sources that differ are shown to a person, who is not asked back for choosing one of them', async () => {
  await start(
    folder({
      'plan.json': '{\n  "accounts": {\n    "minimumPasswordLength": 12\n  }\n}\n',
      'src/limits.js': 'export const MINIMUM_PASSWORD_LENGTH = 8;\n',
    }),
  );
  const question = 'Is the minimum password length 8 or 12?';
  const reply = await room.askNow(question, { bundle: { possible_options: ['8', '12'] } });
  expect(reply).toMatchObject({ status: 'provisional', ticket_id: 'TK-0001' });
  await room.order({ type: 'tickets.reply', ticket: 'TK-0001', by: 'ada', text: '12, the plan is newer.' }, 'tickets');
  await room.test.advance(5_000);
  expect(room.row('Q-1')).toMatchObject({ by: 'ada', response: { answer: '12, the plan is newer.' } });
});
