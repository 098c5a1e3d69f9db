/** Rows of the table of methods: the records of actors. */
import { z } from 'zod';
import { RECORDS_LISTED, RECORDS_READ_MAX } from '../../limits.ts';
import { reach, reachAll } from './call.ts';
import { kernelMethod } from './method-row.ts';
import { address, fieldsFromText, flag, name, READING } from './method-shapes.ts';

const limit = z.number().int().min(1).max(RECORDS_READ_MAX).default(RECORDS_LISTED);
const newestFirst = flag.default(false);
const number = z.number().int().nonnegative();

const recorded = z.object({
  number: number.describe('From 1, without holes.'),
  atMs: z.number().describe('Kernel time.'),
  sequence: number.describe('The number of changes of the actor until then.'),
  value: z.unknown(),
});

const shipped = { number: 41, atMs: 1_767_225_600_000, sequence: 90, value: { order: 'o-17', what: 'shipped' } };

export const RECORD_METHODS = {
  'record.list': kernelMethod({
    ...READING,
    looks: true,
    means:
      'Records of one name of an actor, a page at a time. A page ends early where its records are long, and where ' +
      '10,000 have been looked at. BOSUN_RECORDS_UNKNOWN where its agent declares no such name.',
    params: z.object({
      address,
      name: name.describe('The name that the agent declares.'),
      after: number.default(0).describe('Only those with a higher number.'),
      before: number.optional().describe('Only those with a lower number.'),
      limit,
      newestFirst,
      where: fieldsFromText
        .default({})
        .describe('Only values whose fields equal these. In a query: an object as JSON. None of them may be secret.'),
    }),
    result: z.object({
      records: z.array(recorded),
      next: number.nullable().describe('`after`, or with `newestFirst` `before`, for the next page.'),
      first: number.describe('The number of the oldest record kept; if none is kept, the number of the next one.'),
      last: number.describe('The number of the newest record; 0 if there was none yet.'),
      life: number.describe('The life of the actor, which is the epoch of cursors of `records/{address}/{name}`.'),
      missing: number.describe('The number of records that cannot be read because the store is damaged.'),
    }),
    http: { verb: 'GET', path: '/v1/actors/{address}/records/{name}' },
    example: {
      p: { address: 'visits', name: 'decisions', newestFirst: true, limit: 1 },
      r: { records: [shipped], next: 41, first: 1, last: 41, life: 2, missing: 0 },
    },
    over: 'address',
    run: ({ address, name, ...which }, { caller, looks }, { records }) =>
      records.list(reach(caller, address), name, which, looks),
  }),
  'record.find': kernelMethod({
    ...READING,
    looks: true,
    means:
      'Records of one name of all actors of an agent whose key has this value, in order of time, a page at a time. ' +
      'For those who may reach every address. BOSUN_RECORDS_UNKNOWN where the agent declares no such name or key.',
    params: z.object({
      agent: name,
      name: name.describe('The name that the agent declares.'),
      key: name.describe('The name that the agent declares.'),
      value: z.union([z.string(), z.number(), z.boolean()]),
      from: z.string().optional().describe('Records after this `cursor`: `next` of the previous page.'),
      limit,
      newestFirst,
    }),
    result: z.object({
      records: z.array(recorded.extend({ address: z.string(), cursor: z.string() })),
      next: z.string().nullable(),
    }),
    http: { verb: 'GET', path: '/v1/records/{agent}/{name}' },
    example: {
      p: { agent: 'counter', name: 'decisions', key: 'order', value: 'o-17' },
      r: {
        records: [{ address: 'visits', cursor: '00019b76daa8000000000000001100000000000002', ...shipped }],
        next: null,
      },
    },
    over: 'joined',
    run: ({ agent, name, key, value, ...which }, { caller, looks }, { records }) => {
      reachAll(caller);
      return records.find(agent, name, [key, value], which, looks);
    },
  }),
};
