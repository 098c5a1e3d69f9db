/** The wires between simulated workers. */
import { describe, expect, it } from 'vitest';
import { VirtualClock } from 'bosun/testing';
import { SeededWires } from '../../src/testing/simulation/wires.ts';

const LINES = ['0 to 1', '1 to 0', 'host to 0'];

async function arrivals(order: number, act: (wires: SeededWires) => void = () => {}) {
  const clock = new VirtualClock(0, { isExact: true });
  const wires = new SeededWires(clock);
  const arrived: string[] = [];
  wires.begin(order);
  act(wires);
  for (let n = 0; n < 5; n++) for (const line of LINES) wires.travel(line, () => void arrived.push(`${line}: ${n}`));
  await clock.drain();
  return { arrived, clock, wires };
}

const ofLine = (arrived: readonly string[], line: string) => arrived.filter((text) => text.startsWith(line));

describe('wires', () => {
  it('keep the order on each line, but not between different lines', async () => {
    const orders = new Set<string>();
    for (let order = 1; order <= 20; order++) {
      const { arrived } = await arrivals(order);
      for (const line of LINES) expect(ofLine(arrived, line)).toEqual([0, 1, 2, 3, 4].map((n) => `${line}: ${n}`));
      orders.add(arrived.join());
    }
    expect(orders.size).toBeGreaterThan(10);
  });

  it('deliver in the same order for the same seed', async () => {
    const first = await arrivals(7);
    const second = await arrivals(7);
    expect(first.arrived).toEqual(second.arrived);
  });

  it('hold the messages of a delayed line until the delay has passed or the wires are healed', async () => {
    const stopped = (wires: SeededWires) => wires.delay('0 to 1', 100);
    const late = await arrivals(3, stopped);
    expect(ofLine(late.arrived, '0 to 1')).toEqual([]);
    expect(late.arrived).toHaveLength(10);
    await late.clock.advance(100, async () => void (await late.clock.drain()));
    expect(ofLine(late.arrived, '0 to 1')).toHaveLength(5);
    const healed = await arrivals(3, stopped);
    healed.wires.heal();
    await healed.clock.drain();
    expect(healed.arrived).toHaveLength(15);
  });
});
