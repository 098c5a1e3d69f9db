/** Orders of people about runs of hubs. Pure. */
import type { StopLevel } from '../../machines/hub/stop-levels.ts';
import { BY, type DeskOrder } from '../desks/desk-orders.ts';

/** The levels at which a run is stopped: the verb, and what becomes of sessions at work. */
const STOPS: Readonly<Record<StopLevel, readonly [verb: string, means: string]>> = {
  graceful: ['Stop', 'Sessions at work finish and hand off. Nothing new begins.'],
  immediate: ['Stop now', 'Sessions at work are asked to end, and killed two seconds later.'],
  terminated: ['Kill', 'Sessions at work are killed at once.'],
};

export function stopRun(desk: string, run: string, level: StopLevel): DeskOrder {
  const [verb, means] = STOPS[level];
  return {
    title: `${verb}: ${run}`,
    verb,
    isDangerous: level !== 'graceful',
    address: desk,
    fields: [BY],
    means: `${means} The run ends as stopped; a later order is never gentler.`,
    eventOf: ({ by = '' }) => ({ type: 'hub.stop', run, level, by }),
    done: `${run} stops (${level}).`,
  };
}

export function resumeRun(desk: string, run: string): DeskOrder {
  return {
    title: `Resume ${run}`,
    verb: 'Resume',
    address: desk,
    fields: [BY],
    means: 'The hub asks people again how the run is to go on.',
    eventOf: ({ by = '' }) => ({ type: 'hub.resume', run, by }),
    done: `${run} goes on.`,
  };
}
