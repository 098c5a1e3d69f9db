/** A chart as Mermaid text, which keeps the order of states and transitions and stays valid for any name. */
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { defer, reply } from '../../../src/actors/model/talk-actions.ts';
import { mermaidOf } from '../../../src/gateway/charts/mermaid.ts';
import { chartOf } from '../../../src/gateway/charts/model.ts';
import { everything, hostileMachine } from '../../support/gateway/charted.ts';

const chart = chartOf(everything);

describe('Mermaid', () => {
  it('calls the actions of Bosun by their names', () => {
    const types = {} as { events: { type: 'put' } | { type: 'ask' } };
    const machine = setup({ types }).createMachine({ on: { put: { actions: defer() }, ask: { actions: reply(1) } } });
    expect(mermaidOf(chartOf(machine))).toMatch(/put \/ defer\n.*ask \/ reply\n/s);
  });

  const lines = mermaidOf(chart).split('\n');

  it('nests states, separates regions, and shows initial and final states', () => {
    expect(lines.slice(0, 18)).toEqual([
      'stateDiagram-v2',
      '  state "all" as s0 {',
      '    [*] --> s1',
      '    state "idle" as s1',
      '    state "running" as s2 {',
      '      state "left" as s3 {',
      '        [*] --> s4',
      '        state "one" as s4',
      '        state "two" as s5',
      '        state "H*" as s6',
      '      }',
      '      --',
      '      state "right" as s7 {',
      '        [*] --> s8',
      '        state "one" as s8',
      '        state "two" as s9',
      '        state "end" as s10',
      '        s10 --> [*]',
    ]);
  });

  it('has an arrow for each target, and a note for transitions without a target', () => {
    const targets = chart.transitions.flatMap((transition) => transition.targets);
    expect(lines.filter((line) => /^ {2}s\d+ --> s\d+/.test(line))).toHaveLength(targets.length);
    expect(lines).toContain('  s1 --> s2 : TASK [isOpen] / log');
    expect(lines).toContain('  s1 --> s12 : TASK [else]');
    expect(lines).toContain('    PING / log');
    expect(lines).toContain('    entry / log, assign, raise tick, emit said');
  });

  it('escapes every part of a hostile name that Mermaid could take for syntax', () => {
    const text = mermaidOf(chartOf(hostileMachine()));
    const kinds = [
      /state "[^"<>{};%:]*(?:#\d+;[^"<>{};%:]*)*" as s\d+ ?\{?/,
      /(?:\[\*\]|s\d+) --> (?:\[\*\]|s\d+)(?: : [^<>{}%:]*)?/,
      /note right of s\d+|end note|\}|--|[^<>{}%"]*/,
    ];
    const known = new RegExp(`^ *(?:${kinds.map(({ source }) => source).join('|')})$`);
    for (const line of text.split('\n').slice(1)) expect(line).toMatch(known);
    expect(text).not.toMatch(/<|%%|:::|-->.*-->/);
  });
});
