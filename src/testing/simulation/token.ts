/**
 * Tokens: a plan in one line, to be played again on another machine, tomorrow, by somebody else. They name what they
 * were made of, so that one that has become stale says what has changed.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { checksum } from '../../checksum.ts';
import { BosunError } from '../../errors.ts';
import type { Shape } from './definition.ts';
import { type Plan } from './plan.ts';

/** The version of the token's format. It changes when old plans can no longer be read. */
const VERSION = 'b1';

interface Payload {
  readonly plan: Plan;
  readonly hashes: Readonly<Record<string, string>>;
  readonly property: string;
}

export interface ReadToken {
  readonly plan: Plan;
  /** The name of the property that did not hold. */
  readonly property: string;
  /** Describes what has changed since the token was made; undefined if nothing has. */
  readonly changed: string | undefined;
}

export function tokenOf(shape: Shape, plan: Plan, property: string): string {
  const { hashes } = shape;
  const payload: Payload = { plan, hashes, property };
  const packed = deflateRawSync(Buffer.from(JSON.stringify(payload))).toString('base64url');
  return `${VERSION}.${plan.seed}.${hashOf(shape)}.${packed}`;
}

/** Reads a token. Throws BOSUN_CONFIG_INVALID for a text that is no valid token. */
export function readToken(shape: Shape, token: string): ReadToken {
  const [version, , hash, packed] = token.trim().split('.');
  if (version !== VERSION || packed === undefined) throw invalid('it does not begin with b1. and has not four parts');
  let payload: Payload;
  try {
    payload = JSON.parse(inflateRawSync(Buffer.from(packed, 'base64url')).toString()) as Payload;
  } catch (cause) {
    throw invalid('its plan cannot be unpacked', cause);
  }
  const { plan, property, hashes } = payload;
  return { plan, property, changed: hash === hashOf(shape) ? undefined : changeIn(hashes, shape.hashes) };
}

function changeIn(then: Payload['hashes'], now: Payload['hashes']): string {
  const changes = [
    ...Object.keys(then).flatMap((agent) =>
      !(agent in now)
        ? `agent "${agent}" is gone`
        : now[agent] === then[agent]
          ? []
          : `machine of "${agent}" has changed`,
    ),
    ...Object.keys(now).flatMap((agent) => (agent in then ? [] : `agent "${agent}" is new`)),
  ];
  return changes.length === 0 ? 'options of the simulation have changed' : changes.join(', ');
}

function hashOf({ hashes, actors, workers, healMs }: Shape): string {
  const text = JSON.stringify([hashes, actors, workers, healMs]);
  return checksum(Buffer.from(text)).toString(16).padStart(8, '0');
}

function invalid(why: string, cause?: unknown): BosunError {
  return new BosunError('BOSUN_CONFIG_INVALID', `this is not a token of a simulation: ${why}`, { cause });
}
