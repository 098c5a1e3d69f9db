/** Procedures for tests, one of each way, over the small shop of the gateway's tests. */
import { z } from 'zod';
import { procedure } from '../../../src/actors/api/procedure.ts';

/** Calls of `bell.ring` so far. */
export const bell = { rings: 0 };

export const procedures = {
  'visits.total': procedure({
    means: 'The sum of all counters.',
    params: z.object({}),
    result: z.object({ total: z.number(), counters: z.array(z.string()) }),
    example: { p: {}, r: { total: 3, counters: ['visits'] } },
    http: { verb: 'GET', path: '/v1/visits/total' },
    async read(_, reader) {
      const counters: string[] = [];
      let total = 0;
      for await (const { address } of reader.actors({ agent: 'counter' })) {
        const { context } = await reader.actor(address);
        total += (context as { readonly count: number }).count;
        counters.push(address);
      }
      return { total, counters };
    },
  }),
  'visits.count': procedure({
    means: 'What a counter says of itself.',
    params: z.object({ name: z.string().min(1) }),
    result: z.number(),
    example: { p: { name: 'visits' }, r: 3 },
    http: { verb: 'POST', path: '/v1/visits/{name}/count' },
    ask: ({ name }) => ({ address: name, event: { type: 'count' } }),
  }),
  'visits.closed': procedure({
    means: 'Answers when a counter is closed.',
    params: z.object({ name: z.string() }),
    result: z.object({ finalCount: z.number() }),
    example: { p: { name: 'visits' }, r: { finalCount: 3 } },
    wait: ({ name }) => ({
      address: name,
      value: 'closed',
      answer: ({ context }) => ({ finalCount: (context as { readonly count: number }).count }),
    }),
  }),
  'bell.ring': procedure({
    means: 'Rings the bell of the host.',
    scope: 'actor:admin',
    params: z.object({ times: z.int().min(1).default(1) }),
    result: z.object({ rings: z.number(), by: z.string() }),
    example: { p: { times: 2 }, r: { rings: 2, by: 'ada' } },
    port: ({ times }, { id }) => ({ rings: (bell.rings += times), by: id }),
  }),
};
