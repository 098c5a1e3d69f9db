/** Child specs: how a Boss starts and restarts a child. OTP's words; plain data, checked once by zod. */
import { z } from 'zod';
import { checkAddress } from '../actors/model/address.ts';
import { DEFAULT_BACKOFF } from '../backoff.ts';
import { BosunError, isBosunError } from '../errors.ts';
import { DEFAULT_INTENSITY } from './intensity.ts';
import { rulesOf, STRATEGIES, type Strategy } from './strategies.ts';

/**
 * How long a child may take to end once it has been told to; OTP's default for a worker. A Boss may take as long as it
 * needs.
 */
export const SHUTDOWN_MS = 5_000;

/** OTP's words: milliseconds, or without end, or not told at all. */
export type Shutdown = number | 'infinity' | 'brutal_kill';

const backoffSchema = z.strictObject({
  minMs: z.number().nonnegative().default(DEFAULT_BACKOFF.minMs),
  maxMs: z.number().nonnegative().default(DEFAULT_BACKOFF.maxMs),
  factor: z.number().min(1).default(DEFAULT_BACKOFF.factor),
  jitter: z.number().min(0).max(1).default(DEFAULT_BACKOFF.jitter),
  /** A child that ran this long is well again. Default: half of `minMs + maxMs`. */
  resetAfterMs: z.number().nonnegative().optional(),
  /** More delayed restarts in a row than this, and the Boss gives up, however slow they are. Default: no such limit. */
  maxConsecutive: z.number().int().positive().optional(),
});

const common = {
  /** Its name among its siblings; with the Boss's address it makes the child's. May hold "/". */
  id: z.string().refine(isAddress, 'an id is letters, digits and -_.:@+~%, in segments joined by "/"'),
  /** `permanent`: always restarted. `transient`: only after a failure. `temporary`: never. */
  restart: z.enum(['permanent', 'transient', 'temporary']).default('permanent'),
  /** Delay restarts; without it they are immediate, as in OTP. */
  backoff: backoffSchema.optional(),
  /**
   * How long it may take to end once it has been sent `bosun.shutdown`: milliseconds, `infinity`, or `brutal_kill`,
   * which sends nothing. Default 5000, of a Boss `infinity`. One whose machine does not handle that event ends at once.
   */
  shutdownMs: z.union([z.number().nonnegative(), z.enum(['infinity', 'brutal_kill'])]).optional(),
  /** Its end by itself may end its Boss: see the Boss's `autoShutdown`. Not for permanent children. Default false. */
  significant: z.boolean().optional(),
  /** A name by which machines find it: `system.get(systemId)`. Unique in the system. */
  systemId: z.string().min(1).optional(),
  /** Who is told, once, when the child has ended for good: {@link ChildExited}. An actor reference, set by machines. */
  reportTo: z.custom<object>((value) => typeof value === 'object' && value !== null).optional(),
};

const bossOptions = {
  /** Which siblings are restarted with a child that failed. `dynamic`: many children of one template, each alone. */
  strategy: z.enum(STRATEGIES).default('one_for_one'),
  intensity: z.number().int().nonnegative().default(DEFAULT_INTENSITY.intensity),
  periodMs: z.number().positive().default(DEFAULT_INTENSITY.periodMs),
  /** Whether it ends when a significant child, or the last one of them, has ended by itself. Default `never`. */
  autoShutdown: z.enum(['never', 'any_significant', 'all_significant']).optional(),
  /** Of the strategy `dynamic`: what its children are, but for their ids. */
  template: z.unknown().transform(readTemplate).optional(),
  /** Of the strategy `dynamic`: more are refused with BOSUN_CHILDREN_FULL. Default: as many as there is memory. */
  maxChildren: z.number().int().nonnegative().optional(),
};

const agentChildSchema = z.strictObject({
  ...common,
  agent: z.string().min(1),
  input: z.unknown().optional(),
  /** After a failure, go on from the last committed state, or begin anew. After a normal exit it always begins anew. */
  resume: z.enum(['committed', 'initial']).default('committed'),
});

type AgentChild = z.output<typeof agentChildSchema>;
type AgentChildOptions = z.input<typeof agentChildSchema>;
type BossChild = Omit<AgentChild, 'agent' | 'input' | 'resume'> & { boss: BossSpec };
type BossChildOptions = Omit<AgentChildOptions, 'agent' | 'input' | 'resume'> & {
  boss: BossOptions;
  resume?: undefined;
};

export type AutoShutdown = 'never' | 'any_significant' | 'all_significant';

export type BossSpec = {
  strategy: Strategy;
  intensity: number;
  periodMs: number;
  autoShutdown?: AutoShutdown | undefined;
  template?: ChildTemplate | undefined;
  maxChildren?: number | undefined;
  children: ChildSpec[];
};

export type ChildSpec = AgentChild | BossChild;

/** A child spec without an id. */
export type ChildTemplate = Omit<AgentChild, 'id'> | Omit<BossChild, 'id'>;

/** What a user writes: everything with a default may be left out. */
export type BossOptions = {
  strategy?: Strategy;
  intensity?: number;
  periodMs?: number;
  autoShutdown?: AutoShutdown;
  template?: Omit<AgentChildOptions, 'id'> | Omit<BossChildOptions, 'id'>;
  maxChildren?: number;
  children?: ChildOptions[];
};

export type ChildOptions = AgentChildOptions | BossChildOptions;

const bossSchema: z.ZodType<BossSpec, BossOptions> = z.lazy(() =>
  z
    .strictObject({ ...bossOptions, children: z.array(childSchema).default([]).superRefine(refuseDuplicates) })
    .superRefine((boss, context) => refuse(bossProblem(boss as BossSpec), context)),
) as never;

const bossChildSchema = z.strictObject({ ...common, boss: bossSchema });

/** Which of the two it is meant to be is plain to see, and a message about that one is worth more than about both. */
const childSchema: z.ZodType<ChildSpec, ChildOptions> = z
  .unknown()
  .transform((value, context): ChildSpec => readChild(value, context)) as never;

/** What has been parsed: each Boss of a tree reads all that is below it, and would parse it as often as it is deep. */
const complete = new WeakSet<object>();

/** Fills in the defaults. Throws BOSUN_CHILD_SPEC_INVALID, naming the field. */
export function parseBossSpec(options: unknown): BossSpec {
  if (typeof options === 'object' && options !== null && complete.has(options)) return options as BossSpec;
  return completed(parsed(bossSchema, options, 'tree'));
}

function completed(spec: BossSpec): BossSpec {
  complete.add(spec);
  for (const child of spec.children) if ('boss' in child) completed(child.boss);
  return spec;
}

/** The same for the root, which nothing could start again that it ends by itself. Throws BOSUN_CHILD_SPEC_INVALID. */
export function parseTree(options: unknown): BossSpec {
  const spec = parseBossSpec(options);
  const { autoShutdown = 'never' } = spec;
  if (autoShutdown === 'never') return spec;
  throw new BosunError(
    'BOSUN_CHILD_SPEC_INVALID',
    `tree: autoShutdown "${autoShutdown}" is for a Boss below the root, whose end is that of the system`,
  );
}

/** Fills in the defaults. Throws BOSUN_CHILD_SPEC_INVALID, naming the field. */
export function parseChildSpec(options: unknown): ChildSpec {
  return parsed(childSchema, options, 'child spec');
}

const dynamicSchema = z.object({
  id: common.id,
  agent: z.string().optional(),
  input: z.unknown().optional(),
  reportTo: common.reportTo,
});

/**
 * The spec of a dynamic child: its template, with the id, input and `reportTo` given. What else is given does not
 * count. Throws BOSUN_CHILD_SPEC_INVALID, also for another agent than the template's.
 *
 * @param nextId Its id where none is given.
 */
export function specOfTemplate(template: ChildTemplate, given: unknown, nextId: string): ChildSpec {
  const { id, agent, input, reportTo } = parsed(
    dynamicSchema,
    { id: nextId, ...(given as object | undefined) },
    'dynamic child',
  );
  const ofTemplate = 'agent' in template ? template.agent : undefined;
  if (agent !== undefined && agent !== ofTemplate) {
    throw new BosunError(
      'BOSUN_CHILD_SPEC_INVALID',
      `dynamic child: its Boss has children of ${ofTemplate ?? 'Bosses'} only, not of ${agent}`,
    );
  }
  return {
    ...template,
    ...(input === undefined || ofTemplate === undefined ? {} : { input }),
    ...(reportTo && { reportTo }),
    id,
  } as ChildSpec;
}

export function shutdownOf(spec: ChildSpec): Shutdown {
  return spec.shutdownMs ?? ('boss' in spec ? 'infinity' : SHUTDOWN_MS);
}

/** What a child and its Boss contradict each other in; undefined where they do not. */
export function childProblem(
  { id, significant = false }: ChildSpec,
  autoShutdown: AutoShutdown = 'never',
): string | undefined {
  return significant && autoShutdown === 'never'
    ? `significant: ${id} cannot be that where autoShutdown is never`
    : undefined;
}

function bossProblem({ strategy, template, maxChildren, autoShutdown, children }: BossSpec): string | undefined {
  if (!rulesOf(strategy).isOfTemplate) {
    if (template !== undefined) return 'template: is for the strategy dynamic';
    if (maxChildren !== undefined) return 'maxChildren: is for the strategy dynamic';
    return children.map((child) => childProblem(child, autoShutdown)).find((problem) => problem !== undefined);
  }
  if (template === undefined) return 'template: the strategy dynamic needs one';
  if (children.length > 0) return 'children: those of the strategy dynamic are started by order';
  if (autoShutdown !== undefined && autoShutdown !== 'never') return 'autoShutdown: is not for the strategy dynamic';
  return childProblem({ ...template, id: 'the template' } as ChildSpec);
}

function readChild(value: unknown, context: z.RefinementCtx): ChildSpec {
  const isBoss = typeof value === 'object' && value !== null && 'boss' in value;
  const result = (isBoss ? bossChildSchema : agentChildSchema).safeParse(value);
  if (!result.success) {
    for (const issue of result.error.issues) context.issues.push({ ...issue, input: value } as never);
    return z.NEVER;
  }
  const { significant, restart } = result.data;
  if (significant === true && restart === 'permanent') refuse('significant: a permanent child cannot be that', context);
  return result.data as ChildSpec;
}

function readTemplate(value: unknown, context: z.RefinementCtx): ChildTemplate {
  if (typeof value === 'object' && value !== null && 'id' in value) refuse('a template has no id', context);
  const { id: _, ...template } = readChild({ ...(value as object), id: 'template' }, context);
  return template as ChildTemplate;
}

function refuse(problem: string | undefined, context: z.RefinementCtx): void {
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
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
  const ids = new Set<string>();
  const twice = children.find(({ id }) => ids.size === ids.add(id).size)?.id;
  if (twice !== undefined) context.addIssue({ code: 'custom', message: `two children with the id "${twice}"` });
}

function parsed<T>(schema: z.ZodType<T>, options: unknown, what: string): T {
  const result = schema.safeParse(options);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    [...(path.length === 0 ? [] : [z.core.toDotPath(path)]), message].join(': '),
  );
  throw new BosunError('BOSUN_CHILD_SPEC_INVALID', `${what}: ${problems.join('; ')}`);
}
