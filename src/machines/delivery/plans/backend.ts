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

export interface Backend {
  readonly primary: string;
  readonly fallback: string | null;
}

/** Frameworks that are offered where the plan has no fallback. */
const OTHERS = ['FastAPI', 'Django', 'Fastify', 'Express', 'Spring Boot'];

/** The option by which the backend is left out for now. */
export const PLAN_ONLY = 'plan only: skip the backend this cycle';

/** The next step after the searches so far: another search, a question to the Builder or to people, or a choice. */
export type BackendStep = { readonly scan: string } | 'ask builder' | 'ask people' | BackendChoice;

export function stepAfter({ primary, fallback }: Backend, searches: readonly FrameworkFound[]): BackendStep {
  const [first, second] = searches;
  if (first === undefined) return { scan: primary };
  if (first.found === 'yes') return { framework: primary, comment: null, because: `${primary} is at ${first.at}` };
  if (first.found === 'unknown') return 'ask builder';
  if (fallback === null) return 'ask people';
  if (second === undefined) return { scan: fallback };
  return second.found === 'yes' ? fallenBack(primary, fallback, `${fallback} is at ${second.at}`) : 'ask people';
}

function fallenBack(primary: string, framework: string, because: string): BackendChoice {
  const comment = `# Fallback: Primary ${primary} not found; using ${framework}`;
  return { framework, comment, because: `${primary} unavailable; ${because}` };
}

/** The question to people, with the frameworks behind its options. */
export function backendQuestion({ primary, fallback }: Backend) {
  const others = fallback === null ? OTHERS.filter((one) => one !== primary) : [fallback];
  const uses = Object.fromEntries(others.map((one) => [`use ${one}`, one]));
  return {
    title:
      fallback === null
        ? `${primary} is not there: what is the backend built with?`
        : `${primary} unavailable; use ${fallback}?`,
    text: `The plan names ${primary}, and no dependency and no import of the code has it.`,
    options: [
      ...(fallback === null ? [] : Object.keys(uses)),
      `install ${primary}`,
      ...(fallback === null ? Object.keys(uses) : []),
      PLAN_ONLY,
    ],
  };
}

/** The choice by the words of a person; undefined if they are none of the options. */
export function choiceBy({ primary, fallback }: Backend, words: string, by: string): BackendChoice | undefined {
  if (words === PLAN_ONLY) return { framework: null, comment: null, because: `${by} leaves the backend out for now` };
  if (words === `install ${primary}`) return { framework: primary, comment: null, because: `${by} has it installed` };
  const used = /^use (.+)$/.exec(words)?.[1];
  const isKnown = used !== undefined && (used === fallback || OTHERS.includes(used));
  return isKnown ? fallenBack(primary, used, `${by} has chosen ${used}`) : undefined;
}

/** The Builder's own choice where nobody knows whether the code has the framework: that of the plan. */
export function builderChoice({ primary }: Backend, why: string | null): BackendChoice {
  return { framework: primary, comment: null, because: `${primary} is injected: ${why ?? 'the search has no result'}` };
}
