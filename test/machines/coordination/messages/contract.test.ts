/**
 * The contract between senders and desks, read from the sources and the machines: no desk is sent an event that its
 * machine drops.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../../src/machines/coordination/coordinator/message-routes.ts';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { answerAgents, answerChildren } from '../../../../src/machines/answers/crew.ts';
import { crewAgents, crewTree } from '../../../../src/machines/crew.ts';
import { deliveryAgents, deliveryChildren } from '../../../../src/machines/delivery/crew.ts';
import { hubChildren, hubDesk } from '../../../../src/machines/hub/hub-desk.ts';
import { isHandled } from '../../../../src/machines/work/handled-events.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { planOf } from '../../../support/fixtures/plans/plans.ts';

const MACHINES = resolve(import.meta.dirname, '../../../../src/machines');

interface Sending {
  readonly to: string;
  readonly type: string;
  readonly place: string;
}

interface Placed {
  readonly systemId?: string;
  readonly agent?: string;
  readonly boss?: object;
}

/** The desks of all systems of agents. */
const CHILDREN: readonly Placed[] = [
  ...crewTree(planOf({ tasks: [{ id: 'a', agent: 'x' }] })).children,
  ...answerChildren(),
  ...deliveryChildren(),
  ...hubChildren(),
];
const AGENTS: readonly AnyAgent[] = [...crewAgents, ...answerAgents(), ...deliveryAgents(), hubDesk];

/** Events that the machine of each desk handles, by system id. Bosses are no desks. */
const handled = new Map<string, readonly string[]>(CHILDREN.flatMap(handledAt));

function handledAt({ systemId, agent: name, boss }: Placed): readonly (readonly [string, readonly string[]])[] {
  const { children = [] } = (boss ?? {}) as { readonly children?: readonly Placed[] };
  const below = children.flatMap(handledAt);
  const agent = AGENTS.find((one) => one.name === name);
  const { events } = (agent?.machine ?? {}) as { readonly events?: readonly string[] };
  return systemId === undefined || events === undefined ? below : [...below, [systemId, events]];
}

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
