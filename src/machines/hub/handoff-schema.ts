/** The JSON Schema of the hand-off of a role, for models that are asked for one. Pure. */
import { z } from 'zod';
import { type HandedBy, outcomesOf, recommendationsOf } from './handoff-rules.ts';
import { handoffSaid } from './handoff.ts';

/** The schema, with the outcomes and recommendations of the role's table alone. */
export function handoffSchema({ role, hub }: Pick<HandedBy, 'role' | 'hub'>): Readonly<Record<string, unknown>> {
  const { properties, ...schema } = z.toJSONSchema(handoffSaid, { io: 'input' });
  const outcomes = outcomesOf(role);
  const isNobody = Object.values(outcomes).flat().includes('hub');
  return {
    ...schema,
    properties: {
      ...properties,
      to: { const: hub },
      outcome: { enum: Object.keys(outcomes) },
      recommended: { enum: [...recommendationsOf(role), ...(isNobody ? [null] : [])] },
    },
    required: ['outcome', 'recommended', 'reason'],
  };
}
