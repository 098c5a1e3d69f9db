import { describe, expect, it } from 'vitest';
import { nearestName } from '../src/near-names.ts';

describe('the nearest name', () => {
  it('is at most a few typing errors away: an extra, missing, wrong or swapped letter', () => {
    const known = ['screening', 'report', 'lint', 'list'];
    expect(['screenin', 'reports', 'rebort', 'REPORT', 'lnit'].map((name) => nearestName(name, known))).toEqual([
      'screening',
      'report',
      'report',
      'report',
      'lint',
    ]);
  });

  it('is the first of several equally near names', () => {
    expect(nearestName('tesk', ['report', 'task', 'test'])).toBe('task');
  });

  it('is undefined if every name is far away or the given name is too short', () => {
    expect([nearestName('valuation', ['report']), nearestName('x', ['y']), nearestName('x', [])]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('may differ in case and separators', () => {
    expect(nearestName('order.place', ['order.cancel', 'orderPlace', 'order.plac'])).toBe('orderPlace');
    expect(nearestName('order.place', ['order.cancel', 'order.palce'])).toBe('order.palce');
    expect(nearestName('order.place', ['order.cancel'])).toBeUndefined();
  });
});
