import { describe, expect, it } from 'vitest';
import { nearestName } from '../src/near-names.ts';

describe('the nearest name', () => {
  it('is few slips away: a letter too many, too few, another, or two in each other’s place', () => {
    const known = ['screening', 'report', 'lint', 'list'];
    expect(['screenin', 'reports', 'rebort', 'REPORT', 'lnit'].map((name) => nearestName(name, known))).toEqual([
      'screening',
      'report',
      'report',
      'report',
      'lint',
    ]);
  });

  it('is the first of several that are as near', () => {
    expect(nearestName('tesk', ['report', 'task', 'test'])).toBe('task');
  });

  it('is none where every name is far, or the name too short to tell', () => {
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
