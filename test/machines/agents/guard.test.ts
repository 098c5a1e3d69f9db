/** The guard of selection, and the capabilities of all agents. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capabilitiesOf } from '../../../src/machines/agents/capabilities.ts';
import { choiceVerdict, guardReport, metadataVerdict } from '../../../src/machines/agents/guard.ts';
import { type CapabilitiesRequest } from '../../../src/machines/agents/profile.ts';
import { SHIPPED_PROFILES } from '../../../src/machines/agents/profiles/shipped.ts';
import { profile, registries, STANDARD } from '../../support/machines/profiles.ts';

describe('the guard', () => {
  const whole = { exampleTasks: ['a b'], notForTasks: ['c d'], agentCategory: 'reviewer' as const };

  it('AC-035: names what is missing in three sentences, in their order', () => {
    expect(metadataVerdict(profile('ann'))).toEqual({
      status: 'WARN',
      issues: ['Missing exampleTasks', 'Missing notForTasks', 'Missing agentCategory'],
    });
    expect(metadataVerdict(profile('ann', { ...whole, notForTasks: [] }))).toEqual({
      status: 'WARN',
      issues: ['Missing notForTasks'],
    });
    expect(metadataVerdict(profile('ann', whole))).toEqual({ status: 'PASS', issues: [] });
  });

  it('AC-034, AC-035: remarks on abilities with the name of an agent, and on examples of two agents', () => {
    const ann = profile(
      'ann',
      { ...whole, exampleTasks: ['Paint the bridge'] },
      { abilities: { core: ['bea', 'paints'] } },
    );
    const bea = profile('bea', { ...whole, exampleTasks: ['paint the bridge!', 'Lift the old heavy stone'] });
    const cid = profile('cid', { ...whole, exampleTasks: ['Lift the old heavy lamp stone'] });
    expect(guardReport([cid, bea, ann]).agents.map(({ agentId, remarks }) => [agentId, ...remarks])).toEqual([
      ['ann', 'Ability has the name of an agent: bea'],
      ['bea', 'Example "paint the bridge!" is also one of ann'],
      ['cid', 'Example "Lift the old heavy lamp stone" is nearly one of bea'],
    ]);
  });

  it('AC-002: remarks on descriptions that conflict, and says by which words', () => {
    const about = (id: string, description: string) =>
      profile(id, { ...whole, exampleTasks: [`Task of ${id}`] }, { description });
    const profiles = [
      about('ann', 'Use this agent to paint bridges and to renew their old coats of colour.'),
      about('bea', 'Use this agent to paint old bridges, and for new coats.'),
      about('cid', 'Use this agent to keep the books of a harbour.'),
      about('dan', 'Use this agent to plan the voyages of ships.'),
    ];
    const remarks = guardReport(profiles).agents.map(({ agentId, remarks: said }) => [agentId, ...said]);
    expect(remarks).toEqual([
      ['ann', 'Description conflicts with that of bea: both speak of bridges, coats, paint, agent'],
      ['bea', 'Description conflicts with that of ann: both speak of bridges, coats, paint, agent'],
      ['cid'],
      ['dan'],
    ]);
    expect(guardReport(SHIPPED_PROFILES).agents.flatMap(({ remarks: said }) => said)).toEqual([]);
  });

  it.each([
    ['most of their words', 'brush coat bridge river tower harbour gate', true],
    ['fewer', 'brush coat bridge', false],
    ['two words', 'brush coat', false],
  ])('finds a conflict of descriptions with %s in common', (_, common, isConflict) => {
    const own = isConflict ? ['lantern', 'anchor'] : ['lantern rope sail', 'anchor chain mast'];
    const profiles = ['ann', 'bea'].map((id, at) =>
      profile(id, { ...whole, exampleTasks: [`Task of ${id}`] }, { description: `${common} ${own[at]}` }),
    );
    const remarks = guardReport(profiles).agents.flatMap(({ remarks: said }) => said);
    expect(remarks.map((remark) => remark.split(':')[0])).toEqual(
      isConflict ? ['Description conflicts with that of bea', 'Description conflicts with that of ann'] : [],
    );
  });

  it('AC-036: warns of a choice that breaks its request, or has less than 0.3', () => {
    const one = profile('ann', whole, { team: 'north', capabilities: ['painting'] });
    const fine = { profile: one, confidence: 0.3, request: { team: 'North', requiredCapabilities: ['Painting'] } };
    expect(choiceVerdict(fine)).toEqual({ status: 'PASS', issues: [] });
    expect(
      choiceVerdict({
        profile: { ...one, enabled: false },
        confidence: 0.299,
        request: { team: 'south', requiredCapabilities: ['flying'], excludeAgents: ['ann'] },
      }),
    ).toEqual({
      status: 'WARN',
      issues: [
        'Agent is disabled',
        'Missing capability: flying',
        'Agent is excluded',
        'Not of the team: south',
        'Confidence below 0.3',
      ],
    });
  });
});

describe('capabilities', () => {
  const categories = fc.constantFrom<CapabilitiesRequest['category']>(
    'implementation',
    'review',
    'strategy',
    'research',
    'all',
    undefined,
  );

  it('AC-009, AC-025, AC-026: are unique and sorted, and the maps say the same both ways round', () => {
    fc.assert(
      fc.property(registries, categories, fc.boolean(), (profiles, category, includeDisabled) => {
        const result = capabilitiesOf(profiles, { category, includeDisabled });
        const forth = Object.entries(result.agentsByCapability).flatMap(([name, agents]) =>
          agents.map((agent) => `${agent} ${name}`),
        );
        const back = Object.entries(result.capabilitiesByAgent).flatMap(([agent, names]) =>
          names.map((name) => `${agent} ${name}`),
        );
        expect(new Set(forth)).toEqual(new Set(back));
        expect(forth.length).toBe(new Set(forth).size);
        expect(result.capabilities).toEqual([...new Set(result.capabilities)].sort());
        expect(result.capabilities).toEqual(Object.keys(result.agentsByCapability));
        expect(
          includeDisabled ||
            Object.keys(result.capabilitiesByAgent).every((id) => profiles.find((one) => one.agentId === id)!.enabled),
        ).toBe(true);
      }),
    );
  });

  it.each([
    ['implementation', 'implementer'],
    ['implementer', 'implementer'],
    ['review', 'reviewer'],
    ['strategy', 'orchestrator'],
    ['research', 'specialist'],
    ['generalist', 'generalist'],
  ] as const)('AC-008, AC-025: the category %s has the agents that are %s, in all three parts', (category, means) => {
    const { capabilities, agentsByCapability, capabilitiesByAgent } = capabilitiesOf(SHIPPED_PROFILES, { category });
    const right = SHIPPED_PROFILES.filter((one) => one.selectionMetadata!.agentCategory === means);
    expect(Object.keys(capabilitiesByAgent)).toEqual(right.map(({ agentId }) => agentId));
    expect(capabilities).toEqual([...new Set(right.flatMap((one) => one.capabilities!))].sort());
    expect(new Set(Object.values(agentsByCapability).flat())).toEqual(new Set(right.map(({ agentId }) => agentId)));
  });

  it('AC-025, AC-026: leave disabled agents out unless asked, and have all of the others', () => {
    const profiles = [
      profile('ann', {}, { enabled: false, capabilities: ['x', 'x'] }),
      profile('bea', {}, { capabilities: ['y', 'x'] }),
      STANDARD,
    ];
    expect(capabilitiesOf(profiles)).toEqual({
      capabilities: ['x', 'y'],
      agentsByCapability: { x: ['bea'], y: ['bea'] },
      capabilitiesByAgent: { bea: ['x', 'y'], standard: [] },
    });
    expect(capabilitiesOf(profiles, { includeDisabled: true }).agentsByCapability).toEqual({
      x: ['ann', 'bea'],
      y: ['bea'],
    });
  });
});
