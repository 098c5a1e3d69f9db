/** The part of a stack that is stored: the places in the user's code. */
import { describe, expect, it } from 'vitest';
import { shortStack } from '../src/stack.ts';
import { costOf } from './support/processor-time.ts';

const kernel = new URL('../src/actors/turn/turn.ts', import.meta.url);

const long = [
  'Error: no',
  '  two lines',
  '    at breakIt (/home/me/agents.ts:3:9)',
  `    at Turns.take (${kernel.href}:10:3)`,
  `    at Turns.take (${kernel.pathname}:10:3)`,
  '    at resolveAssign (file:///home/me/node_modules/xstate/dist/raise.js:1:1)',
  '    at callIt (/home/me/agents.ts:9:9)',
  '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
].join('\n');

describe('a short stack', () => {
  it('has the error text, and the frames outside the kernel, XState and Node', () => {
    expect(shortStack(long, 10)).toBe(
      'Error: no\n  two lines\n    at breakIt (/home/me/agents.ts:3:9)\n    at callIt (/home/me/agents.ts:9:9)',
    );
  });

  it('has at most the given number of frames', () => {
    expect(shortStack(long, 1)).toBe('Error: no\n  two lines\n    at breakIt (/home/me/agents.ts:3:9)');
  });

  it('has the first frames of the stack if all belong to the kernel or Node', () => {
    const inside = ['Error: no', `    at a (${kernel.href}:1:1)`, '    at b (node:internal/x:1:1)'].join('\n');
    expect(shortStack(inside, 1)).toBe(`Error: no\n    at a (${kernel.href}:1:1)`);
    expect(shortStack(inside, 10)).toBe(inside);
  });

  it('is made in linear time, whatever the text of the error is', async () => {
    const blank = `Error: ${'\n'.repeat(100_000)}`;
    const { result, cost } = await costOf(() => shortStack(blank, 1));
    expect(result).toBe(blank);
    // In quadratic time it would be some hundred.
    expect(cost).toBeLessThan(1);
  });

  it('is the unchanged stack if that has no frames, or few', () => {
    expect(shortStack('Error: no', 1)).toBe('Error: no');
    expect(shortStack('Error: no\n    at a (/home/me/agents.ts:1:1)', 1)).toBe(
      'Error: no\n    at a (/home/me/agents.ts:1:1)',
    );
  });
});
