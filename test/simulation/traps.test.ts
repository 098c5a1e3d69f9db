import { expect, it, onTestFinished, vi } from 'vitest';
import { Traps } from '../../src/testing/simulation/traps.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

it('a timer that was set before a simulation can be cleared while it runs', () => {
  const cleared = vi.spyOn(globalThis, 'clearTimeout').mockImplementation(() => {});
  onTestFinished(() => cleared.mockRestore());
  const traps = new Traps(new VirtualClock(), 1);
  onTestFinished(() => traps.restore());
  // As the timer of an idle connection, which is cleared when the connection ends.
  const timer = {} as NodeJS.Timeout;
  clearTimeout(timer);
  expect(cleared.mock.calls).toEqual([[timer]]);
});
