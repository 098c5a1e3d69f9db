/**
 * Child specs: how a Boss starts and restarts a child. They use OTP's terms and are plain data, checked once by zod.
 */
import { z } from 'zod';
import { checkAddress } from '../actors/model/address.ts';
import { DEFAULT_BACKOFF } from '../backoff.ts';
import { closed } from '../closed-object.ts';
import { BosunError, isBosunError } from '../errors.ts';
import { DEFAULT_INTENSITY } from './intensity.ts';
import { rulesOf, STRATEGIES, type Strategy } from './strategies.ts';

/**
 * Default time that a child may take to end after it has been told to; OTP's default for a worker. A Boss has no limit.
 */
export const SHUTDOWN_MS = 5_000;

/** OTP's values of a shutdown: milliseconds, `infinity`, or `brutal_kill`, which gives no notice. */
export type Shutdown = number | 'infinity' | 'brutal_kill';

const backoffSchema = closed({
  minMs: z.number().nonnegative().default(DEFAULT_BACKOFF.minMs),
  maxMs: z.number().nonnegative().default(DEFAULT_BACKOFF.maxMs),
  factor: z.number().min(1).default(DEFAULT_BACKOFF.factor),
  jitter: z.number().min(0).max(1).default(DEFAULT_BACKOFF.jitter),
  /** A child that has run this long counts as recovered. Default: half of `minMs + maxMs`. */
  resetAfterMs: z.number().nonnegative().optional(),
  /**
   * Number of consecutive delayed restarts beyond which the Boss gives up, however slow they are. Default: no limit.
   */
  maxConsecutive: z.number().int().positive().optional(),
});

const common = {
  /** The id, unique among its siblings; with the Boss's address it forms the child's address. May contain "/". */
  id: z.string().refine(isAddress, 'an id must be letters, digits and -_.:@+~%, in segments joined by "/"'),
  /** `permanent`: always restarted. `transient`: only after a failure. `temporary`: never. */
  restart: z.enum(['permanent', 'transient', 'temporary']).default('permanent'),
  /** Delays restarts; without it they are immediate, as in OTP. */
  backoff: backoffSchema.optional(),
  /**
   * Time that the child may take to end after `bosun.shutdown`: milliseconds, `infinity`, or `brutal_kill`, which sends
   * nothing. Default 5000, for a Boss `infinity`. A child whose machine does not handle that event ends at once.
   */
  shutdownMs: z.union([z.number().nonnegative(), z.enum(['infinity', 'brutal_kill'])]).optional(),
  /**
   * Whether its end by itself may end its Boss: see the Boss's `autoShutdown`. Not for permanent children. Default
   * false.
   */
  significant: z.boolean().optional(),
  /** The name by which machines find it: `system.get(systemId)`. Unique in the system. */
  systemId: z.string().min(1).optional(),
  /**
   * The actor that receives one {@link ChildExited} when the child has ended for good. A reference, set by machines.
   */
  reportTo: z.custom<object>((value) => typeof value === 'object' && value !== null).optional(),
};

const bossOptions = {
  /**
   * The siblings that are restarted with a failed child. `dynamic`: many children of one template, each restarted
   * alone.
   */
  strategy: z.enum(STRATEGIES).default('one_for_one'),
  intensity: z.number().int().nonnegative().default(DEFAULT_INTENSITY.intensity),
  periodMs: z.number().positive().default(DEFAULT_INTENSITY.periodMs),
  /**
   * Whether a child that exceeds the intensity makes the Boss give up, as in OTP. Otherwise intensity and period are
   * those of each child, which alone waits and is then suspended. Default: true if strategy, intensity or period are
   * given. Always true where children restart as a group.
   */
  escalates: z.boolean(),
  /** Whether the Boss ends when a significant child, or the last one of them, has ended by itself. Default `never`. */
  autoShutdown: z.enum(['never', 'any_significant', 'all_significant']).optional(),
  /** The spec of the children of a `dynamic` Boss, without ids. */
  template: z.unknown().transform(readTemplate).optional(),
  /**
   * The number of children from which a `dynamic` Boss refuses further ones with BOSUN_CHILDREN_FULL. Default: no
   * limit.
   */
  maxChildren: z.number().int().nonnegative().optional(),
};

const agentChildSchema = closed({
  ...common,
  agent: z.string().min(1),
  input: z.unknown().optional(),
  /**
   * The state from which a restart after a failure begins: the last committed one, or the initial one. After a normal
   * exit it is always the initial one.
   */
  resume: z.enum(['committed', 'initial']).default('committed'),
});

type AgentChild = z.output<typeof agentChildSchema>;

/** The agent of a child with its input. Only the place that knows the agents can check that they fit. */
export interface NamedAgent {
  readonly agent: string;
  readonly input?: unknown;
}

type AgentChildOptions<Named> = Omit<z.input<typeof agentChildSchema>, keyof NamedAgent> & Named;
/** A child of a template, which may leave the input to each child. */
type WithoutInput<Named> = Named extends NamedAgent ? Omit<Named, 'input'> & Partial<Pick<Named, 'input'>> : never;
type BossChild = Omit<AgentChild, 'agent' | 'input' | 'resume'> & { boss: BossSpec };
type BossChildOptions<Named> = Omit<z.input<typeof agentChildSchema>, keyof NamedAgent | 'resume'> & {
  boss: BossOptions<Named>;
  resume?: undefined;
};

export type AutoShutdown = 'never' | 'any_significant' | 'all_significant';

export type BossSpec = {
  strategy: Strategy;
  intensity: number;
  periodMs: number;
  escalates: boolean;
  autoShutdown?: AutoShutdown | undefined;
  template?: ChildTemplate | undefined;
  maxChildren?: number | undefined;
  children: ChildSpec[];
};

export type ChildSpec = AgentChild | BossChild;

/** A child spec without an id. */
export type ChildTemplate = Omit<AgentChild, 'id'> | Omit<BossChild, 'id'>;

/** The options of a Boss as a user writes them: everything with a default is optional. */
export type BossOptions<Named = NamedAgent> = {
  strategy?: Strategy;
  intensity?: number;
  periodMs?: number;
  escalates?: boolean;
  autoShutdown?: AutoShutdown;
  template?: (Omit<AgentChildOptions<unknown>, 'id'> & WithoutInput<Named>) | Omit<BossChildOptions<Named>, 'id'>;
  maxChildren?: number;
  children?: ChildOptions<Named>[];
};

/** A child spec: its agent or Boss, its input, and when it is restarted. */
export type ChildOptions<Named = NamedAgent> = AgentChildOptions<Named> | BossChildOptions<Named>;

const bossSchema: z.ZodType<BossSpec, BossOptions> = z.lazy(() =>
  z.preprocess(
    withEscalation,
    closed({ ...bossOptions, children: z.array(childSchema).default([]).superRefine(refuseDuplicates) }).superRefine(
      (boss, context) => refuse(bossProblem(boss as BossSpec), context),
    ),
  ),
) as never;

/** Decides from the options as they were written, before their defaults hide which of them were. */
function withEscalation(options: unknown): unknown {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options;
  const { strategy, intensity, periodMs, escalates } = options as BossOptions;
  if (escalates !== undefined) return options;
  return { ...options, escalates: (strategy ?? intensity ?? periodMs) !== undefined };
}

const bossChildSchema = closed({ ...common, boss: bossSchema });

/**
 * The schema of a child spec of either kind. The form shows which kind is meant, and a message about that kind is
 * clearer than one about both.
 */
const childSchema: z.ZodType<ChildSpec, ChildOptions> = z
  .unknown()
  .transform((value, context): ChildSpec => readChild(value, context)) as never;

/** Specs that have been parsed. Without this cache, each Boss of a tree would parse everything below it again. */
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

/**
 * Parses the spec of the root, which must not end by itself, because nothing could restart it. Throws
 * BOSUN_CHILD_SPEC_INVALID.
 */
export function parseTree(options: unknown): BossSpec {
  const spec = parseBossSpec(options);
  const { autoShutdown = 'never' } = spec;
  if (autoShutdown === 'never') return spec;
  throw new BosunError(
    'BOSUN_CHILD_SPEC_INVALID',
    `tree: autoShutdown "${autoShutdown}" is only for a Boss below the root: if the root ends, the system closes`,
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
 * Returns the spec of a dynamic child: its template, with the id, input and `reportTo` given. Other fields are ignored.
 * Throws BOSUN_CHILD_SPEC_INVALID, also for another agent than the template's.
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
      `dynamic child: its Boss starts only children of ${ofTemplate ?? 'Bosses'}, not of ${agent}`,
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

/** The contradiction between a child's spec and its Boss's; undefined if there is none. */
export function childProblem(
  { id, significant = false }: ChildSpec,
  autoShutdown: AutoShutdown = 'never',
): string | undefined {
  return significant && autoShutdown === 'never'
    ? `significant: ${id} cannot be significant while autoShutdown is never`
    : undefined;
}

function bossProblem(boss: BossSpec): string | undefined {
  const { strategy, escalates, template, maxChildren, autoShutdown, children } = boss;
  if (!escalates && rulesOf(strategy).joins !== undefined)
    return `escalates: cannot be false for the strategy ${strategy}, whose children restart together`;
  if (!rulesOf(strategy).isOfTemplate) {
    if (template !== undefined) return 'template: is only for the strategy dynamic';
    if (maxChildren !== undefined) return 'maxChildren: is only for the strategy dynamic';
    return children.map((child) => childProblem(child, autoShutdown)).find((problem) => problem !== undefined);
  }
  if (template === undefined) return 'template: the strategy dynamic needs one';
  if (children.length > 0) return 'children: the strategy dynamic starts children by order only';
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
  if (significant === true && restart === 'permanent')
    refuse('significant: a permanent child cannot be significant', context);
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
