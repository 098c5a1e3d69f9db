/**
 * The choice of a backend framework (D7, MX-067 to MX-071): the one of the plan if the code has it, else the fallback,
 * else what people say. Pure.
 */
import { type FrameworkFound } from '../delivery-ports.ts';

/** The choice for a plan; no framework: its backend is left out for now. */
export interface BackendChoice {
  readonly framework: string | null;
  /** The line with which code stubs begin; null for none. */
  readonly comment: string | null;
  /** Why it is so, for people. */
  readonly because: string;
}

export type Backend = Readonly<{ primary: string; fallback: string | null }>;

/** Results of the searches for the framework of the plan and, if that is not there, for its fallback. */
export type Searches = readonly [first: FrameworkFound, second?: FrameworkFound];

/** Frameworks that are offered where the plan has no fallback. */
const OTHERS = ['FastAPI', 'Django', 'Fastify', 'Express', 'Spring Boot'];

/** The option by which the backend is left out for now. */
export const PLAN_ONLY = 'plan only: skip the backend this cycle';

/** The choice that the searches allow; otherwise the one who decides. */
export function choiceAfter({ primary, fallback }: Backend, [first, second]: Searches) {
  if (first.found === 'yes') return plain(primary, `${primary} is at ${first.at}`);
  if (first.found === 'unknown') return 'builder';
  const isThere = fallback !== null && second?.found === 'yes';
  return isThere ? fallenBack(primary, fallback, `${fallback} is at ${second.at}`) : 'people';
}

function plain(framework: string | null, because: string): BackendChoice {
  return { framework, comment: null, because };
}

function fallenBack(primary: string, framework: string, because: string): BackendChoice {
  const comment = `# Fallback: Primary ${primary} not found; using ${framework}`;
  return { framework, comment, because: `${primary} unavailable; ${because}` };
}

/** The question to people, with its options. */
export function backendQuestion({ primary, fallback }: Backend) {
  const [install, uses] = [`install ${primary}`, usable({ primary, fallback }).map((one) => `use ${one}`)];
  const none = `${primary} is not there: what is the backend built with?`;
  return {
    title: fallback === null ? none : `${primary} unavailable; use ${fallback}?`,
    text: `The plan names ${primary}, and no dependency and no import of the code has it.`,
    options: [...(fallback === null ? [install, ...uses] : [...uses, install]), PLAN_ONLY],
  };
}

function usable({ primary, fallback }: Backend): readonly string[] {
  return fallback === null ? OTHERS.filter((one) => one !== primary) : [fallback];
}

/** The choice by the words of a person; undefined if they are none of the options. */
export function choiceBy(backend: Backend, words: string, by: string): BackendChoice | undefined {
  const { primary } = backend;
  if (words === PLAN_ONLY) return plain(null, `${by} leaves the backend out for now`);
  if (words === `install ${primary}`) return plain(primary, `${by} has it installed`);
  const used = usable(backend).find((one) => words === `use ${one}`);
  return used === undefined ? undefined : fallenBack(primary, used, `${by} has chosen ${used}`);
}

/** The Builder's own choice where nobody knows whether the code has the framework: that of the plan. */
export function builderChoice({ primary }: Backend, [{ at }]: Searches): BackendChoice {
  return plain(primary, `${primary} is injected: ${at ?? 'the search has no result'}`);
}
