/** `bosun desk` where no directory is named, and the settings of its answer team in a file. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linesOf, Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

const LENGTH = ['questions', 'ask', 'Is the minimum length of a password 8 or 12?', '--option', '8', '--option', '12'];
const desk = (...args: string[]) => work.spawn(['desk', ...args, '--port', '0', '--json']).serves();
const bosun = (...args: string[]) => work.bosun([...args, '--data', 'shop/.bosun', '--json']);
const told = async (...args: string[]) => linesOf((await bosun(...args)).out)[0] as unknown as Record<string, unknown>;

beforeAll(() => {
  mkdirSync(work.file('shop/config/agents'), { recursive: true });
  for (const repository of ['shop', 'site']) {
    for (const folder of ['docs', '.git']) mkdirSync(work.file(`${repository}/${folder}`), { recursive: true });
    work.write(`${repository}/docs/limits.md`, '# Limits\n\nThe minimum length of a password is 12 characters.\n');
  }
});

describe('the state of a desk without --data', () => {
  it('is in .bosun of the repository, where the verbs find it, and where it is no knowledge', async () => {
    const call = await desk('site/docs');
    expect(work.has('site/.bosun/.gitignore')).toBe(true);
    expect(work.has('data')).toBe(false);
    const inShop = work.spawn([...LENGTH, '--json'], { within: 'site/docs' });
    expect(linesOf((await inShop.ended).out)).toMatchObject([{ status: 'answered', question_id: 'Q-1' }]);
    expect(
      linesOf((await work.spawn(['questions', 'show', 'Q-1', '--json'], { within: 'site' }).ended).out)[0],
    ).toMatchObject({
      response: { sources: [{ location: 'limits.md:3' }] },
    });
    expect((await call.end('SIGTERM')).code).toBe(0);
    const stopped = await work.spawn(['questions', 'list'], { within: 'site' }).ended;
    expect(stopped).toMatchObject({ code: 7, err: expect.stringMatching(/site\/\.bosun: start one with bosun desk/) });
  });
});

describe('answer-team.yaml', () => {
  const FILE = 'shop/config/agents/answer-team.yaml';
  /** The file of the specification, with the threshold that is given. */
  const settings = (threshold: number) => `# answer-team.yaml
template_version: 1.0
team_role: "On-demand resolver for ambiguities and questions"
activation_mode: "trigger_only"  # No always-on polling
response_depth: "brief"
max_token_output: 1000
max_input_bundle: 2500
escalation_threshold: ${threshold}
min_source_citations: 1
standalone_triggers:
  - type: "mcp_askQuestion"
    priority_boost: true
    max_response_time_sec: 15
  - type: "user_direct_query"
    via: "ticket_system"
    auto_clarity_check: true
  - type: "planning_ambiguity"
    auto_escalate: false
    background_mode: true
  - type: "verification_low_confidence"
    threshold: 0.6
    escalate_p1_immediately: true
  - type: "copilot_delegation_issue"
    via: "reportIssue"
    inherit_task_priority: true
  - type: "context_overflow_clarification"
    from: "breaking_failures"
    suggest_strategy_tweaks: true
  - type: "pattern_based_query"
    from: "critic_team"
    research_enabled: true
response_format:
  include_confidence: true
  include_sources: true
  include_follow_up_needed: true
  max_length_chars: 1500
integrations:
  researcher_team: true
  clarity_agent: true
  ticket_system: true
evolvable_via_uv: true
update_triggers:
  - "New trigger types from Critic patterns"
  - "Threshold adjustments based on RL rewards"
  - "Response format improvements"
metrics_tracked:
  - "resolution_time_by_priority"
  - "escalation_rate"
  - "confidence_accuracy"
  - "token_efficiency"
  - "source_citation_quality"
`;

  it('AT-009, AT-014: is followed where the repository has it, and a change in it from the next start on', async () => {
    work.write(FILE, settings(0.7));
    const call = await desk('shop');
    expect(await told(...LENGTH)).toMatchObject({ status: 'answered', source: 'docs/limits.md:3' });
    await call.end('SIGKILL');
    work.write(FILE, settings(0.99));
    const again = await desk(FILE);
    expect(await told(...LENGTH, '--task', 'TASK-1', '--priority', '1')).toMatchObject({ status: 'answered' });
    const other = LENGTH.with(2, 'What is the minimum length of a password, 8 or 12?');
    expect(await told(...other)).toMatchObject({ status: 'provisional', ticket_id: 'TK-0001' });
    expect((await again.end('SIGTERM')).code).toBe(0);
  });

  it.each([
    [
      'AT-014',
      'a key that does not exist',
      'escalation_treshold: 0.8\n',
      /answer-team\.yaml:1:1\b.*escalation_treshold/,
    ],
    [
      'AT-014',
      'a word for a number',
      'escalation_threshold: high\n',
      /answer-team\.yaml:1:\d+\b.*escalation_threshold/,
    ],
    [
      'AT-010',
      'a mode that does not exist',
      'activation_mode: always_on\n',
      /answer-team\.yaml:1:\d+\b.*activation_mode/,
    ],
    [
      'AT-016',
      'an unknown key of a trigger',
      'standalone_triggers:\n  - type: mcp_askQuestion\n    speed: 3\n',
      /answer-team\.yaml:3:5\b.*speed/,
    ],
    ['AT-009', 'what is not YAML', 'team_role: [\n', /answer-team\.yaml:/],
  ])('%s: refuses %s, with its place', async (_, __, text, message) => {
    work.write(FILE, text);
    const { code, err } = await work.bosun(['desk', 'shop', '--port', '0']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) });
  });
});
