/** Checks the options of createClient: allowed keys, and the kind of each value. */
import { aCount, aFunction, aText, objectWith, type OptionRules, problemOfOptions, rule } from '../option-rules.ts';
import type { ClientOptions } from './client.ts';
import { ClientError } from './client-error.ts';

const CLIENT_RULES: OptionRules<ClientOptions> = {
  name: aText,
  token: rule('a text or a function that returns one', (value) => ['string', 'function'].includes(typeof value)),
  onUnauthorized: aFunction,
  WebSocket: aFunction,
  storage: objectWith('a storage with getItem and setItem', 'getItem', 'setItem'),
  queueMax: aCount,
  log: aFunction,
  clock: objectWith('a clock', 'monotonicMs', 'setTimeout'),
  random: objectWith('a source of chance, with next()', 'next'),
};

/** Checks the options of a client. Throws BOSUN_CONFIG_INVALID. */
export function checkClientOptions(url: unknown, options: unknown): void {
  const problem =
    problemOfOptions(options, CLIENT_RULES) ??
    (URL.canParse(String(url))
      ? undefined
      : `${JSON.stringify(url) ?? 'the given value'} is not an address such as ws://127.0.0.1:4180`);
  if (problem !== undefined) throw clientInvalid(problem);
}

export const clientInvalid = (problem: string): ClientError =>
  new ClientError('BOSUN_CONFIG_INVALID', `createClient: ${problem}`);
