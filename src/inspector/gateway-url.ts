/** The URL of the gateway, as the page finds it. */

/** The URL of the gateway, without a slash at its end. Behind a proxy, or on a server of the host, it has a path. */
export function gatewayUrl(): string {
  return new URL('.', location.href).href.replace(/\/$/, '');
}
