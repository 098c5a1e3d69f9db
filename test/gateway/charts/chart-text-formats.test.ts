/**
 * What is written for other tools: SCXML that keeps every state and transition, Mermaid that keeps their order and
 * breaks on no name.
 */
import { describe, expect, it } from 'vitest';
import { mermaidOf } from '../../../src/gateway/charts/mermaid.ts';
import { chartOf } from '../../../src/gateway/charts/model.ts';
import { scxmlOf } from '../../../src/gateway/charts/scxml.ts';
import { type Element, elementsIn, everything, hostileMachine, parseXml } from '../../support/gateway/charted.ts';

const chart = chartOf(everything);

describe('SCXML', () => {
  const root = parseXml(scxmlOf(chart));
  const byId = new Map(
    elementsIn(root)
      .filter(({ attributes }) => 'id' in attributes)
      .map((element) => [element.attributes['id']!, element]),
  );
  const own = (id: string, tag: string): readonly Element[] =>
    byId.get(id)!.children.filter((child) => child.tag === tag);
  const transition = (id: string, event: string) =>
    own(id, 'transition').filter(({ attributes }) => attributes['event'] === event);

  it('has each state inside its parent, by the elements of the recommendation', () => {
    const tags = {
      atomic: 'state',
      compound: 'state',
      parallel: 'parallel',
      final: 'final',
      history: 'history',
    } as const;
    for (const { id, type, parent } of chart.states) {
      expect(byId.get(id)!.tag).toBe(tags[type]);
      expect(parent === null ? root.children : byId.get(parent)!.children).toContain(byId.get(id));
    }
    expect(root.attributes).toMatchObject({ xmlns: 'http://www.w3.org/2005/07/scxml', version: '1.0', initial: 'all' });
  });

  it('has every transition, with its target, its guard as a condition and its actions by name', () => {
    const [task, otherwise] = transition('all.idle', 'TASK');
    expect(task!.attributes).toEqual({ event: 'TASK', cond: 'isOpen', target: 'all.running' });
    expect(task!.children.map(({ tag, attributes }) => [tag, attributes['name']])).toEqual([['bosun:action', 'log']]);
    expect(otherwise!.attributes).toEqual({ event: 'TASK', target: 'all.stopped' });
    expect(transition('all', 'STOP')[0]!.attributes).toMatchObject({ type: 'internal' });
    expect(transition('all.running', 'FORK')[0]!.attributes['target']).toBe(
      'all.running.left.two all.running.right.two',
    );
    expect(transition('all.idle', 'NEVER')[0]!.attributes).toEqual({ event: 'NEVER' });
    expect(transition('all.idle', 'STAY')[0]!.attributes).toEqual({ event: 'STAY' });
    expect(elementsIn(root).filter(({ tag }) => tag === 'transition')).toHaveLength(chart.transitions.length + 1);
  });

  it('waits by <send delay> and <cancel>, as SCXML does', () => {
    const [entry] = own('all.idle', 'onentry');
    const sends = entry!.children.filter(({ tag }) => tag === 'send').map(({ attributes }) => attributes);
    expect(sends).toEqual([
      { event: 'after.500.all.idle', id: 'after.500.all.idle', delay: '500ms' },
      { event: 'after.PATIENCE.all.idle', id: 'after.PATIENCE.all.idle', delayexpr: 'PATIENCE' },
    ]);
    expect(
      own('all.idle', 'onexit')[0]!
        .children.filter(({ tag }) => tag === 'cancel')
        .map(({ attributes }) => attributes['sendid']),
    ).toEqual(sends.map(({ id }) => id));
    expect(transition('all.idle', 'after.500.all.idle')[0]!.attributes['target']).toBe('all.stopped');
  });

  it('names the ends of states and invokes as the recommendation does', () => {
    expect(
      own('all.running', 'transition')
        .map(({ attributes }) => attributes['event'])
        .sort(),
    ).toEqual(['FORK', 'done.invoke.plan', 'done.state.all.running', 'error.platform.plan', 'snapshot.plan']);
    expect(own('all.running', 'invoke').map(({ attributes }) => attributes)).toEqual([{ id: 'plan', src: 'plan' }]);
  });

  it('has initial states, with their actions, and history with its default', () => {
    expect(byId.get('all')!.attributes['initial']).toBe('all.idle');
    const [initial] = own('all.running.right', 'initial');
    expect(initial!.children[0]).toMatchObject({ tag: 'transition', attributes: { target: 'all.running.right.one' } });
    expect(initial!.children[0]!.children[0]!.attributes['name']).toBe('notify');
    expect(byId.get('all.running.left.past')).toMatchObject({
      attributes: { type: 'deep' },
      children: [{ tag: 'transition', attributes: { target: 'all.running.left.one' } }],
    });
  });

  it('is well-formed, with ids that are different and targets that are there, whatever the names', () => {
    const hostile = elementsIn(parseXml(scxmlOf(chartOf(hostileMachine()))));
    const ids = hostile.filter(({ tag }) => tag === 'state').map(({ attributes }) => attributes['id']!);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[A-Za-z_][\w.-]*$/.test(id))).toEqual([]);
    const targets = hostile
      .filter(({ tag }) => tag === 'transition')
      .flatMap(({ attributes }) => attributes['target'] ?? []);
    expect(targets.length).toBeGreaterThan(0);
    expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
  });
});

describe('Mermaid', () => {
  const lines = mermaidOf(chart).split('\n');

  it('nests states, parts regions, and shows initial and final states', () => {
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

  it('has an arrow for each target, and a note for what has none', () => {
    const targets = chart.transitions.flatMap((transition) => transition.targets);
    expect(lines.filter((line) => /^ {2}s\d+ --> s\d+/.test(line))).toHaveLength(targets.length);
    expect(lines).toContain('  s1 --> s2 : TASK [isOpen] / log');
    expect(lines).toContain('  s1 --> s12 : TASK [else]');
    expect(lines).toContain('    PING / log');
    expect(lines).toContain('    entry / log, assign, raise tick, emit said');
  });

  it('has nothing of hostile names that Mermaid could take for its own', () => {
    const text = mermaidOf(chartOf(hostileMachine()));
    const forms = [
      /state "[^"<>{};%:]*(?:#\d+;[^"<>{};%:]*)*" as s\d+ ?\{?/,
      /(?:\[\*\]|s\d+) --> (?:\[\*\]|s\d+)(?: : [^<>{}%:]*)?/,
      /note right of s\d+|end note|\}|--|[^<>{}%"]*/,
    ];
    const statement = new RegExp(`^(?:${forms.map(({ source }) => source).join('|')})$`);
    for (const line of text.split('\n').slice(1)) {
      expect(line.trimStart()).toMatch(statement);
    }
    expect(text).not.toMatch(/<|%%|:::|-->.*-->/);
  });
});
