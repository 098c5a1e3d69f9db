/** Rules for addresses of networks: the part that belongs to one party, and the URL of a server. */

/** An IPv4 address mapped into IPv6. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Number of 16-bit groups that name a network (/64) in IPv6; one party has all addresses in it. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** The address itself for IPv4, its /64 network for IPv6, '' if undefined. */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return '';
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, GROUPS - front.length - back.length) }, () => '0');
  return `${[...front, ...zeros, ...back].slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** Whether a host is an address; unlike a name, an address cannot be made to point here by DNS. */
export function isAddress(host: string): boolean {
  return /^\[[0-9a-f:.]+\]$/i.test(host) || /^\d{1,3}(\.\d{1,3}){3}$/.test(host);
}

/** The URL by which programs on this machine reach a server. One that listens on all addresses is also here. */
export function urlOf(host: string, port: number, isSecure = false): string {
  const name = ['', '::', '0.0.0.0'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${isSecure ? 'https' : 'http'}://${name}:${port}`;
}
