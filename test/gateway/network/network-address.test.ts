/** The party to which a network address belongs. */
import { describe, expect, it } from 'vitest';
import { isAddress, networkOf } from '../../../src/gateway/network/network-address.ts';

describe('a network address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, ''],
  ])('%s belongs to the party that has %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is distinguished from a host name', () => {
    expect(['10.1.2.3', '[::1]', 'localhost', '10.example', '1.2.3.4.example', '[x]'].map(isAddress)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
