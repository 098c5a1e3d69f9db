/**
 * Profiles from the agent files of others: Markdown with a head, as Claude Code has them, and agent cards of A2A. What
 * a file does not say is left open, and nothing is cut: an example that is too long is left out. Pure.
 */
import { z } from 'zod';
import { type AgentFile, type FileProblem, partsOf } from './front-matter.ts';
import { type AgentProfile, agentProfileSchema } from './profile.ts';
import { normalised, wordsOf } from './text.ts';

/** A profile, or the problems that prevented its import. */
export type Imported = { readonly profile: AgentProfile } | { readonly problem: FileProblem };

const EXAMPLES_MAX = 10;
const EXAMPLE_CHARS_MAX = 200;
const ID_CHARS_MAX = 50;

/** Matches the user's words in the examples of a description: `user: "..."`, in several spellings. */
const USER_SAYS = /\buser\s*:\s*(?:"([^"]{3,400})"|“([^”]{3,400})”|'([^'\n]{3,400})')/gi;

/** Matches the sentence in exported descriptions that lists tasks the agent is not for. */
const NOT_FOR = /(?:^|\s)Not for: ([^\n]+?)\.?\s*$/m;

/** Reads an agent file in Markdown. */
export function profileFromMarkdown({ file, text }: AgentFile): Imported {
  const parts = partsOf(text);
  if ('message' in parts) return { problem: parts };
  const { fields, body } = parts;
  const name = fields.get('name') ?? { line: 1, value: nameOf(file) };
  const description = fields.get('description');
  if (name.value === '')
    return { problem: { line: name.line, message: 'the agent has no name: add a line "name: api-tester"' } };
  if (description === undefined || description.value === '')
    return {
      problem: {
        line: description?.line ?? name.line,
        message: 'the agent has no description: add a line "description: ..." that says when to use it',
      },
    };
  const agentId = idOf(name.value);
  if (agentId === undefined)
    return {
      problem: { line: name.line, message: `${JSON.stringify(name.value)} is no name: use letters and digits` },
    };
  const [plain, notFor] = withoutNotFor(description.value);
  const examples = [...plain.matchAll(USER_SAYS)].map(([, a, b, c]) => (a ?? b ?? c)!);
  return checked(
    {
      agentId,
      displayName: name.value,
      description: plain,
      role: name.value.replace(/[-_]+/g, ' '),
      ...(body !== '' && { systemPrompt: body }),
      selectionMetadata: metadataOf({ examples, notFor, keywords: wordsOf(normalised(name.value)) }),
    },
    description.line,
  );
}

/** The name that a file gives its agent where its head has none: `review.md` and `review.agent.md` are "review". */
function nameOf(file: string): string {
  return /([^/\\]*?)(?:\.(?:agent|chatmode|subagent))?\.md$/i.exec(file)?.[1] ?? '';
}

/** The fields of an A2A card that describe the agent's tasks. */
const cardSchema = z.object({
  name: z.string(),
  description: z.string(),
  version: z.string().optional(),
  skills: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string().default(''),
        tags: z.array(z.string()).default([]),
        examples: z.array(z.string()).default([]),
      }),
    )
    .default([]),
});

/** Whether data looks like an A2A card. */
export function isAgentCard(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'name' in value && 'skills' in value;
}

/** Reads an A2A card of any version. Its skills become the selection metadata of the agent. */
export function profileFromCard(value: unknown): Imported {
  const { data: card, error } = cardSchema.safeParse(value);
  if (error !== undefined) {
    const { path, message } = error.issues[0]!;
    return { problem: { line: 1, message: `the card is not valid at ${path.join('.')}: ${message}` } };
  }
  const agentId = idOf(card.name);
  if (agentId === undefined)
    return { problem: { line: 1, message: 'the name of the card has no letter: give it one' } };
  const read = card.skills.map((skill) => ({ ...skill, ...notForIn(skill.description) }));
  const [plain, notFor] = withoutNotFor(card.description);
  const capabilities = read.flatMap(({ id }) => (isCapability(id) ? [id] : []));
  return checked(
    {
      agentId,
      displayName: card.name,
      description: [plain, ...read.map((skill) => `${skill.name}: ${skill.text}`)].join('\n').trim(),
      role: card.name,
      ...(isVersion(card.version) && { version: card.version }),
      capabilities: unique(capabilities).slice(0, 50),
      selectionMetadata: metadataOf({
        examples: read.flatMap(({ examples }) => examples),
        notFor: [...notFor, ...read.flatMap((skill) => skill.notFor)],
        keywords: read.flatMap(({ tags }) => tags),
      }),
    },
    1,
  );
}

function notForIn(description: string): { readonly text: string; readonly notFor: readonly string[] } {
  const [text, notFor] = withoutNotFor(description);
  return { text, notFor };
}

function metadataOf({
  examples,
  notFor,
  keywords,
}: Readonly<Record<'examples' | 'notFor' | 'keywords', readonly string[]>>) {
  const short = (texts: readonly string[], countMax: number, charsMax: number) =>
    unique(texts.map((text) => text.trim()).filter((text) => text !== '' && text.length <= charsMax)).slice(
      0,
      countMax,
    );
  const lists = {
    exampleTasks: short(examples, EXAMPLES_MAX, EXAMPLE_CHARS_MAX),
    notForTasks: short(notFor, EXAMPLES_MAX, EXAMPLE_CHARS_MAX),
    keywords: short(keywords, 50, 100),
  };
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

function withoutNotFor(description: string): [text: string, notFor: string[]] {
  const [sentence, list] = NOT_FOR.exec(description) ?? [];
  if (sentence === undefined) return [description.trim(), []];
  return [description.replace(sentence, '').trim(), list!.split('; ')];
}

/** The id made from a name: "API Tester" becomes api-tester. Undefined if no letter is left. */
function idOf(name: string): string | undefined {
  if (/^[a-zA-Z][a-zA-Z0-9_-]*$/.test(name) && name.length <= ID_CHARS_MAX) return name;
  const id = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, ID_CHARS_MAX)
    .replace(/-+$/, '');
  return id === '' ? undefined : id;
}

/**
 * Checks a profile.
 *
 * @param line The line to name if the profile breaks a bound.
 */
function checked(value: object, line: number): Imported {
  const { data, error } = agentProfileSchema.safeParse(value);
  if (error === undefined) return { profile: data };
  const { path, message } = error.issues[0]!;
  return { problem: { line, message: `${path.join('.')}: ${message}: shorten or correct it` } };
}

function isCapability(text: string): boolean {
  return agentProfileSchema.shape.capabilities.safeParse([text]).success;
}

function isVersion(text: string | undefined): text is string {
  return agentProfileSchema.shape.version.safeParse(text).success && text !== undefined;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
