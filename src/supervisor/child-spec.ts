/** Child specs: how a Boss starts and restarts a child. OTP's words; plain data, checked once by zod. */
import { z } from 'zod';
import { checkAddress } from '../actors/address.ts';
import { DEFAULT_BACKOFF } from '../backoff.ts';
import { BosunError, isBosunError } from '../errors.ts';
import { DEFAULT_INTENSITY } from './intensity.ts';

const backoffSchema = z.strictObject({
  minMs: z.number().nonnegative().default(DEFAULT_BACKOFF.minMs),
  maxMs: z.number().nonnegative().default(DEFAULT_BACKOFF.maxMs),
  factor: z.number().min(1).default(DEFAULT_BACKOFF.factor),
  jitter: z.number().min(0).max(1).default(DEFAULT_BACKOFF.jitter),
});

const common = {
  /** Its name among its siblings; with the Boss's address it makes the child's. May hold "/". */
  id: z.string().refine(isAddress, 'an id is letters, digits and -_.:@+~%, in segments joined by "/"'),
  /** `permanent`: always restarted. `transient`: only after a failure. `temporary`: never. */
  restart: z.enum(['permanent', 'transient', 'temporary']).default('permanent'),
  /** Delay restarts; without it they are immediate, as in OTP. */
  backoff: backoffSchema.optional(),
  /** A name by which machines find it: `system.get(systemId)`. Unique in the system. */
  systemId: z.string().min(1).optional(),
  /** Who is told, once, when the child has ended for good: {@link ChildExited}. An actor reference, set by machines. */
  reportTo: z.custom<object>((value) => typeof value === 'object' && value !== null).optional(),
};

const bossOptions = {
  strategy: z.literal('one_for_one').default('one_for_one'),
  intensity: z.number().int().nonnegative().default(DEFAULT_INTENSITY.intensity),
  periodMs: z.number().positive().default(DEFAULT_INTENSITY.periodMs),
};

const agentChildSchema = z.strictObject({
  ...common,
  agent: z.string().min(1),
  input: z.unknown().optional(),
  /** After a failure, go on from the last committed state, or begin anew. After a normal exit it always begins anew. */
  resume: z.enum(['committed', 'initial']).default('committed'),
});

export type BossSpec = {
  strategy: 'one_for_one';
  intensity: number;
  periodMs: number;
  children: ChildSpec[];
};

export type ChildSpec =
  | z.output<typeof agentChildSchema>
  | (Omit<z.output<typeof agentChildSchema>, 'agent' | 'input' | 'resume'> & { boss: BossSpec });

/** What a user writes: everything with a default may be left out. */
export type BossOptions = {
  strategy?: 'one_for_one';
  intensity?: number;
  periodMs?: number;
  children?: ChildOptions[];
};

export type ChildOptions =
  | z.input<typeof agentChildSchema>
  | (Omit<z.input<typeof agentChildSchema>, 'agent' | 'input' | 'resume'> & { boss: BossOptions; resume?: undefined });

const bossSchema: z.ZodType<BossSpec, BossOptions> = z.lazy(() =>
  z.strictObject({ ...bossOptions, children: z.array(childSchema).default([]).superRefine(refuseDuplicates) }),
) as never;

const bossChildSchema = z.strictObject({ ...common, boss: bossSchema });

/** Which of the two it is meant to be is plain to see, and a message about that one is worth more than about both. */
const childSchema: z.ZodType<ChildSpec, ChildOptions> = z.unknown().transform((value, context): ChildSpec => {
  const isBoss = typeof value === 'object' && value !== null && 'boss' in value;
  const result = (isBoss ? bossChildSchema : agentChildSchema).safeParse(value);
  if (result.success) return result.data as ChildSpec;
  for (const issue of result.error.issues) context.issues.push({ ...issue, input: value } as never);
  return z.NEVER;
}) as never;

/** Fills in the defaults. Throws BOSUN_CHILD_SPEC_INVALID, naming the field. */
export function parseBossSpec(options: unknown): BossSpec {
  return parsed(bossSchema, options, 'tree');
}

/** Fills in the defaults. Throws BOSUN_CHILD_SPEC_INVALID, naming the field. */
export function parseChildSpec(options: unknown): ChildSpec {
  return parsed(childSchema, options, 'child spec');
}

function isAddress(id: string): boolean {
  try {
    return checkAddress(id) === id;
  } catch (error) {
    if (isBosunError(error, 'BOSUN_ADDRESS_INVALID')) return false;
    throw error;
  }
}

function refuseDuplicates(children: readonly { id: string }[], context: z.RefinementCtx): void {
  const ids = children.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) context.addIssue({ code: 'custom', message: `two children with the id "${twice}"` });
}

function parsed<T>(schema: z.ZodType<T>, options: unknown, what: string): T {
  const result = schema.safeParse(options);
  if (result.success) return result.data;
  throw new BosunError('BOSUN_CHILD_SPEC_INVALID', `${what}: ${z.prettifyError(result.error)}`);
}
