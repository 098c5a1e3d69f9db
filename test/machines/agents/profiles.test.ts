/** The 22 shipped profiles, compared with the seed's list, and the bounds of profiles. */
import { describe, expect, it } from 'vitest';
import { ABILITIES, RENAMED_ABILITIES } from '../../../src/machines/agents/abilities.ts';
import { guardReport, likeness, metadataVerdict } from '../../../src/machines/agents/guard.ts';
import { type AgentProfile, agentProfileSchema } from '../../../src/machines/agents/profile.ts';
import { SHIPPED_PROFILES } from '../../../src/machines/agents/profiles/shipped.ts';
import { recommend } from '../../../src/machines/agents/recommend.ts';
import { indexFor } from '../../../src/machines/agents/retrieval.ts';
import { scopeIn, scopeProblems, scopeSection } from '../../../src/machines/agents/scope-section.ts';
import { normalised, stemsOf } from '../../../src/machines/agents/text.ts';

/** Row, id, display name, role, team, category and primary intents, as the catalogue has them. */
const CATALOGUE = `
AC-042 | ceo | Cassandra | Chief Executive Officer | leadership | orchestrator |
  strategy, vision, leadership, business
AC-043 | cto | Theo | Chief Technology Officer | leadership | orchestrator |
  strategy, leadership, technical-direction, team, roadmap
AC-044 | architecture | Archie | Principal Software Architect | engineering | orchestrator |
  architecture, design, system, scalability, patterns
AC-045 | product | Priya | Senior Product Manager | product | orchestrator |
  product, feature, requirements, roadmap, user-story
AC-046 | backend | Bob | Senior Backend Engineer | engineering | implementer |
  api, backend, server, database, microservice
AC-047 | frontend | Frank | Senior Frontend Developer | engineering | implementer |
  frontend, ui, react, component, interface
AC-048 | fullstack | Felix | Senior Fullstack Engineer | engineering | implementer |
  fullstack, web, application
AC-049 | mobile | Maya | Senior Mobile Engineer | engineering | implementer |
  mobile, ios, android, app, react-native
AC-050 | devops | Derek | DevOps Engineer | infrastructure | implementer |
  devops, deploy, infrastructure, ci, cd, pipeline
AC-051 | writer | Wendy | Senior Technical Writer | documentation | implementer |
  document, write, readme, guide, tutorial, docs
AC-052 | reviewer | Rex | Code Reviewer | core | reviewer |
  review, analyze, check, inspect, audit
AC-053 | security | Steve | Security Engineer | core | reviewer |
  security, audit, vulnerability, threat
AC-054 | quality | Quinn | QA Engineer | quality | reviewer |
  test, qa, quality, testing
AC-055 | blockchain-developer | Chain | Blockchain Developer | engineering | specialist |
  blockchain, smart-contract, web3, defi, crypto
AC-056 | ml-engineer | Tensor | Machine Learning Engineer | engineering | specialist |
  machine-learning, ml, model, training, ai
AC-057 | mlops-engineer | Devin | MLOps Engineer | platform | specialist |
  deploy, mlops, infrastructure, pipeline, serving
AC-058 | data-scientist | Dana | Data Scientist | data | specialist |
  data, analysis, ml, machine-learning, statistics, model
AC-059 | quantum-engineer | Dr. Qubit | Quantum Computing Engineer | research | specialist |
  quantum, qubit, superposition, entanglement
AC-060 | aerospace-scientist | Dr. Astra | Aerospace Scientist | research | specialist |
  space, aerospace, rocket, satellite, orbit
AC-061 | creative-marketer | Maya | Creative Marketing Strategist | marketing | specialist |
  marketing, brand, campaign, content, creative
AC-062 | researcher | Riley | Technical Researcher | research | specialist |
  research, investigate, compare, evaluate, analyze
AC-063 | standard | Stan | General Assistant | core | generalist |
  help, assist, general`;

const rows = CATALOGUE.trim()
  .split(/\n(?=AC)/)
  .map((row) => row.split(/ \|\s+/));

const containsPhrase = (text: string, phrase: string) => ` ${text} `.includes(` ${phrase} `);
const shippedOf = (id: string) => SHIPPED_PROFILES.find(({ agentId }) => agentId === id)!;
const metaOf = (id: string) => shippedOf(id).selectionMetadata!;
const ids = new Set(SHIPPED_PROFILES.map(({ agentId }) => agentId));
const examples = SHIPPED_PROFILES.flatMap(({ agentId, selectionMetadata }) =>
  selectionMetadata!.exampleTasks!.map((text) => ({
    agentId,
    text,
    plain: normalised(text),
    words: new Set(stemsOf(text)),
  })),
);
const pairs = examples.flatMap((one, index) => examples.slice(index + 1).map((other) => [one, other] as const));

describe('the shipped profiles', () => {
  it('AC-004, AC-005: are the 22 of the catalogue, none more and none less', () => {
    expect([...ids]).toEqual(rows.map(([, id]) => id!).sort());
    expect(SHIPPED_PROFILES.every(({ enabled }) => enabled)).toBe(true);
  });

  it.each(rows)('%s: %s is as the catalogue has it', (_, id, displayName, role, team, category, intents) => {
    const { selectionMetadata: meta, ...one } = shippedOf(id!);
    expect(one).toMatchObject({ displayName, role, team });
    expect(meta!.agentCategory).toBe(category);
    expect(meta!.primaryIntents!.join(', ')).toBe(intents);
  });

  it('AC-043, AC-044, AC-046, AC-052, AC-063: have the depths, anti-keywords and redirects of the catalogue', () => {
    expect(['cto', 'architecture'].map((id) => shippedOf(id).orchestration!.maxDelegationDepth)).toEqual([3, 2]);
    expect(metaOf('cto').antiKeywords).toEqual(['bug', 'css', 'unit test']);
    expect(metaOf('backend').antiKeywords).toEqual(['frontend', 'ui', 'css', 'react', 'mobile']);
    expect(metaOf('reviewer').antiKeywords).toEqual(['implement', 'build', 'create']);
    expect(metaOf('standard').redirectWhen!.map(({ phrase, suggest }) => `${phrase}: ${suggest}`)).toEqual([
      'build api: backend',
      'create component: frontend',
      'security audit: security',
      'deploy: devops',
      'write tests: quality',
    ]);
  });

  it('AC-011: are of the category that the seed names', () => {
    const of = (category: string) =>
      SHIPPED_PROFILES.filter((one) => one.selectionMetadata!.agentCategory === category).map((one) => one.agentId);
    expect(of('orchestrator')).toEqual(expect.arrayContaining(['ceo', 'cto', 'architecture']));
    expect(of('implementer')).toEqual(expect.arrayContaining(['backend', 'frontend', 'devops']));
    expect(of('reviewer')).toEqual(['quality', 'reviewer', 'security']);
    expect(of('specialist')).toEqual(
      expect.arrayContaining(['blockchain-developer', 'ml-engineer', 'quantum-engineer']),
    );
    expect(of('generalist')).toEqual(['standard']);
  });

  it('AC-E06: the reviewer has the examples and exclusions of the seed, in order', () => {
    expect(metaOf('reviewer')).toMatchObject({
      exampleTasks: [
        'Review this pull request',
        'Check this code for bugs',
        'Analyze code quality',
        'Find security vulnerabilities in this file',
        'Review architecture of this module',
      ],
      notForTasks: ['Write new code', 'Fix this bug', 'Implement this feature', 'Design system architecture'],
      agentCategory: 'reviewer',
    });
  });

  it('AC-E07: backend has the examples and exclusions of the seed, in order', () => {
    expect(metaOf('backend')).toMatchObject({
      exampleTasks: [
        'Build an API endpoint',
        'Optimize this database query',
        'Implement a microservice',
        'Add caching to this service',
        'Create a REST API',
      ],
      notForTasks: ['Review code', 'Write documentation', 'Design UI components', 'Create mobile app'],
      agentCategory: 'implementer',
    });
  });

  it('AC-032, AC-037: have three to five examples and exclusions each, and a category', () => {
    const counts = SHIPPED_PROFILES.map(({ selectionMetadata: meta }) => [
      meta!.exampleTasks!.length,
      meta!.notForTasks!.length,
    ]);
    expect(counts.flat().every((count) => count >= 3 && count <= 5)).toBe(true);
    expect(SHIPPED_PROFILES.filter((one) => metadataVerdict(one).status === 'PASS')).toHaveLength(22);
  });

  it('AC-064: have examples of their own, none a part of another, none the same but for a noun', () => {
    const parts = pairs.filter(([a, b]) => containsPhrase(a.plain, b.plain) || containsPhrase(b.plain, a.plain));
    const alike = pairs.filter(([a, b]) => likeness(a.words, b.words) >= 0.6);
    expect([...parts, ...alike].map(([a, b]) => `${a.text} / ${b.text}`)).toEqual([]);
  });

  it('AC-064: exclude what is the work of somebody else', () => {
    const index = indexFor(SHIPPED_PROFILES);
    const kept = SHIPPED_PROFILES.flatMap(({ agentId, selectionMetadata }) =>
      selectionMetadata!.notForTasks!.filter((task) => recommend(index, { task }).recommended === agentId),
    );
    expect(kept).toEqual([]);
  });

  it('AC-033: have a scope section that suggests agents that exist', () => {
    expect(
      SHIPPED_PROFILES.flatMap(({ agentId, systemPrompt }) =>
        scopeProblems(systemPrompt!, ids).map((problem) => `${agentId}: ${problem}`),
      ),
    ).toEqual([]);
    for (const { agentId, systemPrompt } of SHIPPED_PROFILES) {
      const { leaves } = scopeIn(systemPrompt!)!;
      expect(leaves.flatMap(({ to }) => to)).not.toContain(agentId);
    }
  });

  it('AC-E08: the reviewer has the scope of the seed', () => {
    expect(scopeIn(shippedOf('reviewer').systemPrompt!)).toEqual({
      handles: [
        'Code reviews (all focus modes: security, architecture, performance, correctness)',
        'PR analysis and feedback',
        'Code quality assessment',
      ],
      leaves: [
        { task: 'Writing new code', to: ['backend', 'frontend'] },
        { task: 'Fixing bugs', to: ['backend', 'frontend', 'fullstack'] },
        { task: 'System design', to: ['architecture'] },
        { task: 'Documentation', to: ['writer'] },
      ],
    });
  });

  it('AC-002, AC-034, AC-037, AC-040: have abilities that exist, and none with the name of an agent', () => {
    const used = SHIPPED_PROFILES.flatMap(({ abilities }) => [
      ...abilities!.core!,
      ...Object.values(abilities!.taskBased!).flat(),
    ]);
    expect(used.filter((name) => !ABILITIES.has(name))).toEqual([]);
    expect([...ABILITIES.keys()].filter((name) => !used.includes(name))).toEqual([]);
    expect([...ABILITIES.keys()].filter((name) => ids.has(name))).toEqual([]);
    expect(RENAMED_ABILITIES).toEqual({ security: 'security-practices', 'code-review': 'review-checklist' });
    expect(Object.keys(RENAMED_ABILITIES).filter((name) => ABILITIES.has(name))).toEqual([]);
    expect(shippedOf('security').abilities!.core).toContain('security-practices');
    expect(shippedOf('reviewer').abilities!.core).toContain('review-checklist');
  });

  it('AC-003, AC-035: pass the guard without a remark', () => {
    const { status, agents } = guardReport(SHIPPED_PROFILES);
    expect(status).toBe('PASS');
    expect(agents.filter(({ issues, remarks }) => issues.length + remarks.length > 0)).toEqual([]);
  });
});

describe('the bounds of a profile', () => {
  const base = { agentId: 'a', description: 'x' };
  const isTaken = (rest: object) => agentProfileSchema.safeParse({ ...base, ...rest }).success;
  const list = (count: number, item: unknown = 'x') => Array.from({ length: count }, () => item);
  const meta = (fields: object) => ({ selectionMetadata: fields });

  it.each<[string, object, object]>([
    ['agentId', { agentId: 'a'.repeat(50) }, { agentId: 'a'.repeat(51) }],
    ['agentId', { agentId: 'A-1_b' }, { agentId: '1a' }],
    ['version', { version: '1.2.3' }, { version: '1.2' }],
    ['expertise', { expertise: list(20) }, { expertise: list(21) }],
    ['capabilities', { capabilities: list(50) }, { capabilities: list(51) }],
    ['capabilities', { capabilities: ['C++ & C#'] }, { capabilities: ['__proto__'] }],
    [
      'maxDelegationDepth',
      { orchestration: { maxDelegationDepth: 10 } },
      { orchestration: { maxDelegationDepth: 11 } },
    ],
    ['priority', { priority: 100 }, { priority: 101 }],
    ['priority', { priority: 1 }, { priority: 0 }],
    ['exampleTasks', meta({ exampleTasks: list(10) }), meta({ exampleTasks: list(11) })],
    ['notForTasks', meta({ notForTasks: list(10) }), meta({ notForTasks: list(11) })],
    ['an example', meta({ exampleTasks: ['x'.repeat(200)] }), meta({ exampleTasks: ['x'.repeat(201)] })],
    ['primaryIntents', meta({ primaryIntents: list(20) }), meta({ primaryIntents: list(21) })],
    ['keywords', meta({ keywords: list(50) }), meta({ keywords: list(51) })],
    ['agentCategory', meta({ agentCategory: 'reviewer' }), meta({ agentCategory: 'judge' })],
    [
      'a redirect',
      meta({ redirectWhen: [{ phrase: 'x'.repeat(500), suggest: 'a' }] }),
      meta({ redirectWhen: [{ phrase: 'x'.repeat(501), suggest: 'a' }] }),
    ],
    [
      'a suggestion',
      meta({ redirectWhen: [{ phrase: 'x', suggest: 'x'.repeat(100) }] }),
      meta({ redirectWhen: [{ phrase: 'x', suggest: 'x'.repeat(101) }] }),
    ],
    ['a key', { team: 'core' }, { taem: 'core' }],
  ])('AC-010, AC-012, AC-013, AC-014: %s is taken at its bound and refused beyond', (_, taken, refused) => {
    expect([isTaken(taken), isTaken(refused)]).toEqual([true, false]);
  });

  it('AC-013: an agent is enabled unless its profile says otherwise', () => {
    expect((agentProfileSchema.parse(base) as AgentProfile).enabled).toBe(true);
  });
});

describe('a scope section', () => {
  const scope = { handles: ['tests'], leaves: [{ task: 'reviews', to: ['reviewer', 'nobody'] }] };

  it('AC-033: is read back as it was written, whatever stands around it', () => {
    const prompt = `You test.\n\n${scopeSection(scope)}\n\n## Tone\n\n- friendly`;
    expect(scopeIn(prompt)).toEqual(scope);
  });

  it.each([
    [scopeSection(scope), ['Scope suggests an unknown agent: nobody']],
    ['You test.', ['Missing scope section']],
    ['## Scope\n\n**You SHOULD handle:**\n- tests', ['Missing scope section']],
    [
      scopeSection({ handles: [], leaves: [{ task: 'x', to: [] }] }),
      ['Scope lists nothing that the agent handles', 'Scope suggests no agent for: x'],
    ],
  ])('AC-033: says what is wrong with it: %#', (prompt, problems) => {
    expect(scopeProblems(prompt, new Set(['reviewer']))).toEqual(problems);
  });
});
