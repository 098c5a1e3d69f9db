/**
 * The contract between senders and desks, read from the sources and the machines: no desk is sent an event that its
 * machine drops.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../../src/machines/coordination/coordinator/message-routes.ts';
import { crewAgents, crewTree } from '../../../../src/machines/crew.ts';
import { isHandled } from '../../../../src/machines/work/handled-events.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { planOf } from '../../../support/fixtures/plans/plans.ts';

const MACHINES = resolve(import.meta.dirname, '../../../../src/machines');

interface Sending {
  readonly to: string;
  readonly type: string;
  readonly place: string;
}

/** Events that the machine of each desk handles, by system id. Bosses are no desks. */
const handled = new Map<string, readonly string[]>(
  crewTree(planOf({ tasks: [{ id: 'a', agent: 'x' }] })).children.flatMap((child) => {
    const agent = 'agent' in child ? crewAgents.find(({ name }) => name === child.agent) : undefined;
    return agent === undefined ? [] : [[child.systemId, agent.machine.events as string[]] as const];
  }),
);

describe('a desk', () => {
  it.each(Object.entries(ROUTES))('handles the event that the route of %s sends it (D3)', (_, { to, as }) => {
    expect(isHandled(as, handled.get(to) ?? [])).toBe(true);
  });

  it('handles every event that the machines send it by name (D3)', () => {
    const paths = readdirSync(MACHINES, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const sendings = paths.flatMap(sendingsIn);
    // A walk that found nothing would pass: most events are literals in the source.
    expect(sendings.length).toBeGreaterThan(15);
    expect(sendings.filter(({ to, type }) => !isHandled(type, handled.get(to)!))).toEqual([]);
  });
});

/** `turn.send(DESKS.alerts, { type: 'alert.raise', ... })`, `ledger.tell('alerts', { type: ... })`. */
function sendingsIn(path: string): readonly Sending[] {
  const text = readFileSync(join(MACHINES, path), 'utf8');
  if (!/\b(send|tell)\(/.test(text)) return [];
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Sending[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /\b(send|tell)$/.test(node.expression.getText())) {
      const [receiver, event] = node.arguments;
      const to = receiver && deskOf(receiver);
      const type = event && typeOf(event);
      if (to !== undefined && handled.has(to) && type !== undefined) {
        const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
        found.push({ to, type, place: `${path}:${line + 1}` });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function deskOf(receiver: ts.Expression): string | undefined {
  const [, name] = /^(?:(?:[A-Z]+_)?DESKS\.|')(\w+)'?$/.exec(receiver.getText()) ?? [];
  return (DESKS as Readonly<Record<string, string>>)[name ?? ''];
}

/** The type of an event that is written as a literal in the call that sends it. */
function typeOf(event: ts.Expression): string | undefined {
  const value = ts.isSatisfiesExpression(event) || ts.isAsExpression(event) ? event.expression : event;
  if (!ts.isObjectLiteralExpression(value)) return undefined;
  const type = value.properties.find((property) => property.name?.getText() === 'type');
  return type !== undefined && ts.isPropertyAssignment(type) && ts.isStringLiteral(type.initializer)
    ? type.initializer.text
    : undefined;
}
