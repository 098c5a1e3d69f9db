/** The wires between simulated workers. */
import { describe, expect, it } from 'vitest';
import { VirtualClock } from 'bosun/testing';
import { SeededWires } from '../../src/testing/simulation/wires.ts';
import { seedOf } from '../support/chance.ts';

const LINES = ['0 to 1', '1 to 0', 'host to 0'];

/** Messages in the order in which they arrive, which is drawn by name. */
async function arrivals(name: string, act: (wires: SeededWires) => void = () => {}) {
  const clock = new VirtualClock(0, { isExact: true });
  const wires = new SeededWires(clock);
  const arrived: string[] = [];
  // Order 0 would be the usual one.
  wires.begin(1 + seedOf('wires', name));
  act(wires);
  for (let n = 0; n < 5; n++) for (const line of LINES) wires.travel(line, () => void arrived.push(`${line}: ${n}`));
  await clock.drain();
  return { arrived, clock, wires };
}

const ofLine = (arrived: readonly string[], line: string) => arrived.filter((text) => text.startsWith(line));

describe('wires', () => {
  it('keep the order on each line, but not between different lines', async () => {
    const orders = new Set<string>();
    for (let n = 0; n < 20; n++) {
      const { arrived } = await arrivals(`${n}`);
      for (const line of LINES) expect(ofLine(arrived, line)).toEqual([0, 1, 2, 3, 4].map((n) => `${line}: ${n}`));
      orders.add(arrived.join());
    }
    expect(orders.size).toBeGreaterThan(10);
  });

  it('deliver in the same order for the same seed', async () => {
    const first = await arrivals('the same');
    const second = await arrivals('the same');
    expect(first.arrived).toEqual(second.arrived);
  });

  it('hold the messages of a delayed line until the delay has passed or the wires are healed', async () => {
    const stopped = (wires: SeededWires) => wires.delay('0 to 1', 100);
    const late = await arrivals('held', stopped);
    expect(ofLine(late.arrived, '0 to 1')).toEqual([]);
    expect(late.arrived).toHaveLength(10);
    await late.clock.advance(100, async () => void (await late.clock.drain()));
    expect(ofLine(late.arrived, '0 to 1')).toHaveLength(5);
    const healed = await arrivals('held', stopped);
    healed.wires.heal();
    await healed.clock.drain();
    expect(healed.arrived).toHaveLength(15);
  });
});
