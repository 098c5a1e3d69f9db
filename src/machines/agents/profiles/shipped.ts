/** The 22 profiles that come with the package (seed 003, AC-005), in the order of agent ids. */
import { type AgentProfile, agentProfileSchema, byCodeUnit } from '../profile.ts';
import { CORE } from './core.ts';
import { ENGINEERING } from './engineering.ts';
import { COMMUNICATION } from './communication.ts';
import { DATA } from './data.ts';
import { LEADERSHIP } from './leadership.ts';
import { SPECIALISTS } from './specialists.ts';
import { profileOf } from './written-profile.ts';

/** The profiles of the package. */
export const SHIPPED_PROFILES: readonly AgentProfile[] = [
  LEADERSHIP,
  COMMUNICATION,
  ENGINEERING,
  CORE,
  DATA,
  SPECIALISTS,
]
  .flat()
  .map((written) => agentProfileSchema.parse(profileOf(written)))
  .sort((a, b) => byCodeUnit(a.agentId, b.agentId));
