/** Readers of what coding agents print: documented output, and output that is cut, foreign or hostile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readUsage } from '../../src/spokes/coding-agents.ts';

const sample = (name: string) => readFileSync(join(import.meta.dirname, 'samples', name), 'utf8');
const RESULT = JSON.parse(sample('claude-result.json')) as Record<string, unknown>;
const result = (more: object) => JSON.stringify({ ...RESULT, ...more });

describe('the output of Claude Code', () => {
  it('says tokens with those of the cache, cost, turns and a summary', () => {
    const used = { tokens: 24 + 9_120 + 61_204 + 1_377, costUsd: 0.1534, steps: 7 };
    const summary = 'The parser is mended: an empty list is read as no value.';
    expect(readUsage('claude', sample('claude-result.json'))).toEqual({ used, summary });
  });

  it('says why it failed, by its text or by the kind of its end', () => {
    expect(readUsage('claude', sample('claude-error.json'))).toEqual({
      used: { tokens: 0, costUsd: 0, steps: 1 },
      failed: 'Invalid API key · Please run /login',
    });
    expect(readUsage('claude', sample('claude-max-turns.json'))).toEqual({
      used: { tokens: 10_000, costUsd: 0.61, steps: 20 },
      failed: 'error_max_turns',
    });
  });

  it('is read from lines and from a list as well, with a warning before it', () => {
    const lines = sample('claude-stream.jsonl');
    const told = { used: { tokens: 100, costUsd: 0.02, steps: 2 }, summary: 'Nothing was wrong.' };
    expect(readUsage('claude', `warning: an update is there\n${lines}`)).toEqual(told);
    expect(readUsage('claude', `[${lines.trim().split('\n').join(',')}]`)).toEqual(told);
  });

  it.each([
    ['nothing', ''],
    ['a text', 'I have mended the parser.'],
    ['a cut result', sample('claude-result.json').slice(0, -40)],
    ['a result without its cost', result({ total_cost_usd: undefined })],
    ['a negative cost', result({ total_cost_usd: -1 })],
    ['a cost that is no number', sample('claude-result.json').replace('0.1534', 'NaN')],
    ['a cost without end', sample('claude-result.json').replace('0.1534', '1e999')],
    ['tokens that are no whole number', result({ usage: { input_tokens: 0.5, output_tokens: 1 } })],
    ['tokens beyond what counts exactly', result({ usage: { input_tokens: 1e300, output_tokens: 1 } })],
    ['keys of a prototype', '{"__proto__": {"type": "result", "total_cost_usd": 1}, "constructor": 1}'],
    ['a result within a result', JSON.stringify({ type: 'user', result: sample('claude-result.json') })],
    ['a result that others follow', `${JSON.stringify(RESULT)}\n{"type":"system"}`],
    ['JSON 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['null', 'null'],
  ])('is not read from %s', (_, text) => {
    expect(readUsage('claude', text)).toBeNull();
  });

  it('says no more than 2,000 characters, whatever its text contains', () => {
    const told = readUsage('claude', result({ result: `{"type":"result"}\n${'x'.repeat(1_000_000)}` }));
    expect(told?.summary).toHaveLength(2_000);
    expect(told?.used.steps).toBe(7);
  });
});

describe('the output of Codex', () => {
  it('says tokens, its turn and its last message, and no cost', () => {
    expect(readUsage('codex', sample('codex-completed.jsonl'))).toEqual({
      used: { tokens: 24_763 + 122, costUsd: 0, steps: 1 },
      summary: 'The parser is mended.',
    });
  });

  it('says why its turn failed', () => {
    expect(readUsage('codex', sample('codex-failed.jsonl'))).toEqual({
      used: { tokens: 0, costUsd: 0, steps: 0 },
      failed: "You've hit your usage limit.",
    });
  });

  it('has not failed if its turn completed behind an error', () => {
    const text = `{"type":"error","message":"reconnecting"}\n${sample('codex-completed.jsonl')}`;
    expect(readUsage('codex', text)).not.toHaveProperty('failed');
  });

  it('is read among lines of a megabyte and lines that are none of its own', () => {
    const noise = JSON.stringify({ type: 'item.completed', item: { aggregated_output: 'x'.repeat(1_000_000) } });
    expect(readUsage('codex', `${noise}\n}{\n\n${sample('codex-completed.jsonl')}`)?.used.tokens).toBe(24_885);
  });

  it.each([
    ['nothing', ''],
    ['a start without its end', sample('codex-completed.jsonl').split('\n').slice(0, 4).join('\n')],
    ['an end that is cut', sample('codex-completed.jsonl').slice(0, -20)],
    ['negative tokens', '{"type":"turn.completed","usage":{"input_tokens":-5,"output_tokens":1}}'],
    ['the result of another program', sample('claude-result.json')],
  ])('is not read from %s', (_, text) => {
    expect(readUsage('codex', text)).toBeNull();
  });
});
