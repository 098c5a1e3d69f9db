/** Rows of the table of methods: actors that have ended, and what became of them. */
import { z } from 'zod';
import { ENDINGS } from '../../actors/model/results.ts';
import { RECORDS_LISTED, RECORDS_READ_MAX } from '../../limits.ts';
import { RUN_CURSOR } from '../topics/run-views.ts';
import { reach, reachAll } from './call.ts';
import { kernelMethod } from './method-row.ts';
import { address, flag, name, READING } from './method-shapes.ts';

/** The schema of the view of an ended actor. */
export const run = z.object({
  address: z.string(),
  agent: z.string(),
  version: z.number(),
  life: z.number().describe('The life that ended.'),
  status: z.enum(ENDINGS),
  output: z.unknown().describe('The output of an actor that is done; otherwise null.'),
  error: z.looseObject({ message: z.string() }).nullable(),
  startedAtMs: z.number().nullable().describe('Kernel time of its first start; null if unknown.'),
  endedAtMs: z.number().describe('Kernel time.'),
  attempts: z.number().describe('1, and one more for each restart by its Boss.'),
  sequence: z.number().describe('The number of changes of its state.'),
  records: z
    .array(z.object({ name: z.string(), first: z.number(), last: z.number() }))
    .describe('The names under which it has recorded something, and the range of stored numbers.'),
  cursor: z.string().describe('Its place among all ends.'),
});

/** An ended actor, for examples. */
export const shipped = {
  address: 'orders/o-17',
  agent: 'order',
  version: 1,
  life: 12,
  status: 'done',
  output: { shippedTo: 'Ada' },
  error: null,
  startedAtMs: 1_767_225_600_000,
  endedAtMs: 1_767_225_604_000,
  attempts: 1,
  sequence: 5,
  records: [{ name: 'notes', first: 1, last: 3 }],
  cursor: '00019b76daa8000000000000000c',
};

export const RUN_METHODS = {
  'run.list': kernelMethod({
    ...READING,
    looks: true,
    means:
      'Actors that have ended and whose results are kept, the newest end first, a page at a time. A page ends early ' +
      'where results are long, and where 10,000 have been looked at. For those who may reach every address.',
    params: z.object({
      agent: name.optional(),
      status: z.enum(ENDINGS).optional(),
      sinceMs: z.coerce.number().nonnegative().optional().describe('Only ends at this kernel time or later.'),
      from: z.string().regex(RUN_CURSOR).optional().describe('`next` of the previous page.'),
      limit: z.number().int().min(1).max(RECORDS_READ_MAX).default(RECORDS_LISTED),
      newestFirst: flag.default(true),
    }),
    result: z.object({ runs: z.array(run), next: z.string().nullable() }),
    http: { verb: 'GET', path: '/v1/runs' },
    example: { p: { agent: 'order', limit: 1 }, r: { runs: [shipped], next: shipped.cursor } },
    over: 'joined',
    run: (which, { caller, looks }, { runs }) => {
      reachAll(caller);
      return runs.list(which, looks);
    },
  }),
  'run.get': kernelMethod({
    ...READING,
    keepsTime: true,
    means:
      'The result of the last actor that ended at an address. `run` is null if an actor lives there; with `wait` ' +
      'the answer comes when it has ended, or BOSUN_TIMEOUT. BOSUN_ACTOR_UNKNOWN if no actor lives or has ended ' +
      'there, or no result is kept.',
    params: z.object({ address, wait: flag.default(false) }),
    result: z.object({ run: run.nullable() }),
    http: { verb: 'GET', path: '/v1/actors/{address}/result' },
    example: { p: { address: 'orders/o-17' }, r: { run: shipped } },
    over: 'address',
    run: async ({ address, wait }, { caller, leftMs }, { system, runs }) => {
      const lives = system.snapshot(reach(caller, address)) !== undefined;
      if (lives && !wait) return { run: null };
      return { run: runs.run(await system.results.result(address, { timeoutMs: leftMs })) };
    },
  }),
};
