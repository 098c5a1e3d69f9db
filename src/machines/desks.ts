/** The system ids of all systems of agents, for those who look at a crew from outside. */
import { ANSWER_DESKS } from './answers/system-ids.ts';
import { COORDINATION_DESKS } from './coordination/system-ids.ts';
import { DELIVERY_DESKS } from './delivery/system-ids.ts';
import { HUB_DESKS } from './hub/system-ids.ts';
import { PEOPLE_DESKS } from './people/system-ids.ts';
import { TASK_DESKS } from './tasks/system-ids.ts';
import { WORK_DESKS } from './work/system-ids.ts';

/** System ids of the crew's unique agents, and of the Bosses of the other agents. */
export const DESKS = {
  ...WORK_DESKS,
  ...PEOPLE_DESKS,
  ...COORDINATION_DESKS,
  ...ANSWER_DESKS,
  ...HUB_DESKS,
  ...TASK_DESKS,
  ...DELIVERY_DESKS,
} as const;
