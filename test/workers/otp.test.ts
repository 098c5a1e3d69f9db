/**
 * OTP's supervisor cases on two workers, undisturbed and with the death of both workers after every step. A Boss of
 * strategy `one_for_one` or `dynamic` has a partition on each worker, so cases that look at more than one of its
 * children may differ; the table below lists those and the reasons. All others go as on one worker.
 */
import { describe, expect, it } from 'vitest';
import { type Case } from '../support/supervisor/otp/bench.ts';
import { scriptsOf, tellCase } from '../support/supervisor/otp/cuts.ts';
import { adminCases } from '../supervisor/otp/orders.cases.ts';
import { restartCases } from '../supervisor/otp/restarts.cases.ts';
import { significantCases } from '../supervisor/otp/significant.cases.ts';
import { startCases, stopCases } from '../supervisor/otp/start-and-stop.cases.ts';

const OWN_COUNT = 'each partition counts the restarts of its own children, and gives up by itself';
const AT_ONCE = 'partitions end their children at the same time: the youngest first in each';

const DIFFERENT: Readonly<Record<number, string>> = {
  14: 'the number of a child without an id is one that lives on its worker',
  25: AT_ONCE,
  30: AT_ONCE,
  39: 'a Boss among the children has a partition on each worker, and is listed with each',
  58: OWN_COUNT,
  59: OWN_COUNT,
  66: OWN_COUNT,
  69: OWN_COUNT,
  70: OWN_COUNT,
  71: OWN_COUNT,
  72: OWN_COUNT,
  78: 'a change of the strategy that would bring children together is refused',
};

const cases = [...startCases, ...stopCases, ...adminCases, ...restartCases, ...significantCases]
  .sort((a, b) => a.number - b.number)
  .filter((entry) => scriptsOf(entry).length > 0);
const named = (entries: readonly Case[]) => entries.map((entry) => [entry.number, entry.source, entry] as const);
const same = cases.filter(({ number }) => DIFFERENT[number] === undefined);

describe("OTP's cases on two workers", () => {
  it.each(named(same))('%i %s', async (_number, _source, entry) => {
    await expect(tellCase(entry, { store: 'two workers' })).resolves.toBe(undefined);
  });

  it.each(named(same.filter(({ uncut }) => uncut === undefined)))(
    '%i %s, with the death of both workers after every step',
    async (_number, _source, entry) => {
      await expect(tellCase(entry, { store: 'two workers', cut: 'after every step' })).resolves.toBe(undefined);
    },
  );

  it.each(named(cases.filter(({ number }) => DIFFERENT[number] !== undefined)))(
    '%i %s differs on two workers',
    async (_number, _source, entry) => {
      await expect(tellCase(entry, { store: 'two workers' })).rejects.toThrow();
    },
  );
});
