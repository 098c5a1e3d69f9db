/** The capabilities of all agents, both ways round (seed 003, 5.2). Pure. */
import {
  type AgentCategory,
  type AgentProfile,
  byCodeUnit,
  type CapabilitiesRequest,
  capabilitiesRequestSchema,
  type CapabilitiesResult,
  CATEGORY_ALIASES,
  checkedRequest,
} from './profile.ts';

/**
 * Lists capabilities, and maps them to agents and back. All three leave out agents outside of the category.
 * Lists are sorted by code unit and have no duplicates.
 *
 * @throws BOSUN_CALL_INVALID for a request that `capabilitiesRequestSchema` refuses.
 */
export function capabilitiesOf(profiles: Iterable<AgentProfile>, given: CapabilitiesRequest = {}): CapabilitiesResult {
  const { category, includeDisabled } = checkedRequest(capabilitiesRequestSchema, given);
  const only = categoryOf(category);
  const chosen = [...profiles].filter(
    ({ enabled, selectionMetadata }) =>
      (enabled || includeDisabled) && (only === undefined || selectionMetadata?.agentCategory === only),
  );
  const byAgent = new Map(chosen.map(({ agentId, capabilities = [] }) => [agentId, sorted(capabilities)]));
  const byCapability = new Map<string, string[]>();
  for (const agentId of sorted(byAgent.keys()))
    for (const capability of byAgent.get(agentId)!)
      byCapability.set(capability, [...(byCapability.get(capability) ?? []), agentId]);
  const capabilities = sorted(byCapability.keys());
  return {
    capabilities,
    agentsByCapability: Object.fromEntries(capabilities.map((name) => [name, byCapability.get(name)!])),
    capabilitiesByAgent: Object.fromEntries(sorted(byAgent.keys()).map((agentId) => [agentId, byAgent.get(agentId)!])),
  };
}

/** The category of agents in a request; undefined for all. */
export function categoryOf(category: CapabilitiesRequest['category']): AgentCategory | undefined {
  if (category === undefined || category === 'all') return undefined;
  return category in CATEGORY_ALIASES
    ? CATEGORY_ALIASES[category as keyof typeof CATEGORY_ALIASES]
    : (category as AgentCategory);
}

function sorted(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort(byCodeUnit);
}
