/** The records of a work plan: appended once, never changed, and found by their keys over all plans. */
import { PLAN_RECORDS_KEPT_MAX } from '../limits.ts';
import { lineageEntry } from './handoff.ts';
import { planLogEntry } from './plan-log.ts';
import { sessionEntry, sessionPrompt } from './session-records.ts';

/** Records of a work plan. */
export const PLAN_RECORDS = { lineage: 'lineage', sessions: 'sessions', prompts: 'prompts', log: 'log' } as const;

const keep = { count: PLAN_RECORDS_KEPT_MAX };

/** Their schemas, their retention and their keys. */
export const planRecords = {
  [PLAN_RECORDS.lineage]: {
    ...{ schema: lineageEntry, keep },
    keys: { plan: 'plan', from: 'from', session: 'session', run: 'run' },
  },
  [PLAN_RECORDS.sessions]: {
    ...{ schema: sessionEntry, keep },
    keys: { session: 'session', role: 'role', run: 'run' },
  },
  [PLAN_RECORDS.prompts]: { schema: sessionPrompt, keep, keys: { session: 'session' } },
  [PLAN_RECORDS.log]: { schema: planLogEntry, keep, keys: { kind: 'kind', run: 'run' } },
} as const;
