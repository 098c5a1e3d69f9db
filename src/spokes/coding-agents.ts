/**
 * Readers of what coding agents print when they work without a terminal: what a try has used, and how it failed. They
 * read the JSON of Claude Code, whole, as a list or in lines, and the JSON lines of Codex. Pure.
 */
import { z } from 'zod';
import { type CodingAgent, type Used } from '../machines/hub/report.ts';

/** The end of a try in the words of its coding agent. */
export interface Told {
  readonly used: Used;
  readonly summary?: string;
  /** Why it failed; absent if it has not. */
  readonly failed?: string;
}

const SUMMARY_CHARS_MAX = 2_000;
const count = z.int().nonnegative();
const words = z.string().transform((text) => text.trim().slice(0, SUMMARY_CHARS_MAX));

const claudeResult = z.object({
  type: z.literal('result'),
  subtype: z.string().max(100),
  is_error: z.boolean(),
  num_turns: count,
  total_cost_usd: z.number().nonnegative().max(1_000_000),
  result: words.default(''),
  errors: z.array(words).default([]),
  usage: z.object({
    input_tokens: count,
    output_tokens: count,
    cache_creation_input_tokens: count.nullish(),
    cache_read_input_tokens: count.nullish(),
  }),
});

const codexMessage = z.object({ type: z.literal('item.completed'), item: z.looseObject({ text: words }) });
const codexEnd = z.discriminatedUnion('type', [
  // What was cached is part of the input.
  z.object({
    type: z.literal('turn.completed'),
    usage: z.object({ input_tokens: count, output_tokens: count }),
  }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: words }) }),
  z.object({ type: z.literal('error'), message: words }),
]);

const READERS: Readonly<Record<CodingAgent, (messages: readonly unknown[]) => Told | null>> = {
  claude(messages) {
    const { data } = claudeResult.safeParse(messages.at(-1));
    if (data === undefined) return null;
    const { usage, total_cost_usd: costUsd, num_turns: steps, result, is_error: isError, subtype, errors } = data;
    const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage;
    const cached = (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0);
    const used = { tokens: input_tokens + output_tokens + cached, costUsd, steps };
    const failed = result || errors.join('; ').slice(0, SUMMARY_CHARS_MAX) || subtype;
    return { used, ...(isError ? { failed } : { summary: result }) };
  },
  codex(messages) {
    const ends = messages.flatMap((message) => codexEnd.safeParse(message).data ?? []);
    const last = ends.at(-1);
    if (last === undefined) return null;
    const turns = ends.filter((end) => end.type === 'turn.completed');
    const tokens = turns.reduce((sum, { usage }) => sum + usage.input_tokens + usage.output_tokens, 0);
    // It does not say what it cost.
    const used = { tokens, costUsd: 0, steps: turns.length };
    if (last.type !== 'turn.completed')
      return { used, failed: last.type === 'error' ? last.message : last.error.message };
    const said = messages.findLast((message) => isAgentMessage(message));
    return { used, summary: codexMessage.safeParse(said).data?.item.text ?? '' };
  },
};

function isAgentMessage(message: unknown): boolean {
  return codexMessage.safeParse(message).data?.item['type'] === 'agent_message';
}

/** The end of a try by what its coding agent has printed; null if that is cut, of another format or absent. */
export function readUsage(agent: CodingAgent, text: string): Told | null {
  return READERS[agent](messagesIn(text));
}

/** The messages in a text: a list, or one a line. Lines that are none are left out, since tools warn on stdout. */
function messagesIn(text: string): readonly unknown[] {
  const whole = valueOf(text);
  if (whole !== undefined) return [whole].flat();
  return text.split('\n').flatMap((line) => valueOf(line) ?? []);
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
