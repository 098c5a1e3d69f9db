/** The graph under every schedule and every resume plan: circles, orders, paths, closures. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addTime,
  buildGraph,
  criticalPath,
  type DependencyGraph,
  downstreamOf,
  findCycle,
  type GraphTask,
  longestRemaining,
  topologicalOrder,
} from '../../../src/machines/work/dependency-graph.ts';
import { plans } from '../../support/fixtures/plans/plans.ts';

/** `{ b: ['a'] }` reads: b waits for a. Every task takes 1 unless `durations` says otherwise. */
function graphOf(after: Record<string, string[]>, durations: Record<string, number> = {}): DependencyGraph {
  return buildGraph(
    Object.entries(after).map(([id, ids]): GraphTask => ({ id, duration: durations[id] ?? 1, after: ids })),
  );
}

const DIAMOND = { start: [], left: ['start'], right: ['start'], end: ['left', 'right'] };

/** Any edges among up to 8 tasks, circles and self-dependencies among them. */
const anyGraph = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 8 }).map((picks) =>
  buildGraph(
    picks.map((own, index) => ({
      id: `t${index}`,
      duration: 1,
      after: own.map((pick) => `t${pick % picks.length}`),
    })),
  ),
);

describe('a circle of dependencies', () => {
  it('CA-014: is named in full, from its first task in file order, each task before its dependents', () => {
    expect(findCycle(graphOf({ c: ['b'], a: ['c'], b: ['a'] }))).toEqual(['c', 'a', 'b', 'c']);
  });

  it('is named without the tasks before, behind and beside it', () => {
    const graph = graphOf({ before: [], a: ['before', 'b'], b: ['a'], behind: ['b'], beside: [] });
    expect(findCycle(graph)).toEqual(['a', 'b', 'a']);
  });

  it('may be one task that depends on itself', () => {
    expect(findCycle(graphOf({ a: [], b: ['a', 'b'] }))).toEqual(['b', 'b']);
  });

  it('is found in a graph of 10,000 tasks in a row', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `t${index}`);
    const tasks = ids.map((id, index) => ({ id, duration: 1, after: [index === 0 ? 't9999' : `t${index - 1}`] }));
    expect(findCycle(buildGraph(tasks))).toEqual([...ids, 't0']);
  });

  it('is found exactly if no topological order exists, and each of its steps is a dependency', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const cycle = findCycle(graph);
        if (cycle === null) return topologicalOrder(graph).length === graph.order;
        expect(() => topologicalOrder(graph)).toThrow();
        expect(new Set(cycle).size).toBe(cycle.length - 1);
        return cycle.slice(1).every((id, index) => graph.hasDirectedEdge(cycle[index], id));
      }),
    );
  });
});

describe('orders and paths', () => {
  it('CA-009, CN-005: put every task after its dependencies', () => {
    fc.assert(
      fc.property(plans, ({ tasks }) => {
        const order = topologicalOrder(buildGraph(tasks));
        const place = new Map(order.map((id, index) => [id, index]));
        expect(order.length).toBe(tasks.length);
        return tasks.every(({ id, after }) => after.every((dependency) => place.get(dependency)! < place.get(id)!));
      }),
    );
  });

  it('measure the longest path from each task by durations', () => {
    const remaining = longestRemaining(graphOf(DIAMOND, { left: 5, right: 2 }));
    expect(Object.fromEntries(remaining)).toEqual({ start: 7, left: 6, right: 3, end: 1 });
  });

  it('agree with a search of all paths', () => {
    fc.assert(
      fc.property(plans, ({ tasks }) => {
        const remaining = longestRemaining(buildGraph(tasks));
        const longestFrom = (id: string): number => {
          const { duration } = tasks.find((task) => task.id === id)!;
          return tasks
            .filter(({ after }) => after.includes(id))
            .reduce((longest, next) => Math.max(longest, addTime(duration, longestFrom(next.id))), duration);
        };
        return tasks.slice(0, 8).every(({ id }) => remaining.get(id) === longestFrom(id));
      }),
    );
  });

  it('CA-009, CN-005: find one longest path, with ties in file order', () => {
    const graph = graphOf({ ...DIAMOND, other: [], longer: ['other'] }, { longer: 2 });
    expect(criticalPath(graph, longestRemaining(graph))).toEqual(['start', 'left', 'end']);
  });

  it('follow a critical path from a task without dependencies to a task without dependents', () => {
    fc.assert(
      fc.property(plans, ({ tasks }) => {
        const graph = buildGraph(tasks);
        const remaining = longestRemaining(graph);
        const path = criticalPath(graph, remaining);
        const length = path.reduce((sum, id) => addTime(sum, graph.getNodeAttribute(id, 'duration')), 0);
        expect(length).toBe(Math.max(...remaining.values()));
        expect([graph.inDegree(path[0]), graph.outDegree(path.at(-1))]).toEqual([0, 0]);
        return path.slice(1).every((id, index) => graph.hasDirectedEdge(path[index], id));
      }),
    );
  });

  it('add decimal fractions without drift', () => {
    expect(addTime(0.1, 0.2)).toBe(0.3);
  });
});

describe('the downstream of tasks', () => {
  it('is every task that waits for them, directly or indirectly', () => {
    expect([...downstreamOf(graphOf(DIAMOND), ['left'])]).toEqual(['end']);
    expect(downstreamOf(graphOf(DIAMOND), ['start'])).toEqual(new Set(['left', 'right', 'end']));
    expect(downstreamOf(graphOf(DIAMOND), ['end']).size).toBe(0);
  });

  it('contains one of the tasks themselves only if it waits for another of them', () => {
    expect(downstreamOf(graphOf(DIAMOND), ['start', 'left'])).toEqual(new Set(['left', 'right', 'end']));
  });
});
