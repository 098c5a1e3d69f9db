/** Events of an agent for fast-check, from the schemas that it declares. */
import { type Arbitrary } from 'fast-check';
import { type AgentEvents, type AnyAgent } from '../../actors/model/agent.ts';
import { BosunError } from '../../errors.ts';
import { didYouMean } from '../../near-names.ts';
import { type Fc, schemaArbitrary } from './schema-arbitrary.ts';

/** Options of `eventArbitrary`. */
export interface EventArbitraryOptions {
  /** The types of events to make. Default: all that the agent declares. */
  readonly types?: readonly string[];
  /** Arbitraries of the fields besides `type`, by event type, instead of those from the schema. */
  readonly fields?: Readonly<Record<string, Arbitrary<object>>>;
}

/**
 * Makes events that the agent accepts from outside, all types equally often.
 *
 * @param fc The module `fast-check`, as the test imports it.
 * @throws BOSUN_CONFIG_INVALID for an agent that declares no events, and for a type that it does not declare.
 */
export function eventArbitrary<A extends Pick<AnyAgent, 'name' | 'events'>>(
  fc: Fc,
  agent: A,
  { types = Object.keys(agent.events), fields = {} }: EventArbitraryOptions = {},
): Arbitrary<AgentEvents<A>> {
  const known = Object.keys(agent.events);
  for (const type of [...types, ...Object.keys(fields)])
    if (!known.includes(type)) throw invalid(`${agent.name} declares no event "${type}"${didYouMean(type, known)}`);
  if (types.length === 0) throw invalid(`${agent.name} declares no events`);
  const events = types.map((type) =>
    (fields[type] ?? schemaArbitrary(fc, agent.events[type]!)).map((own) => ({ ...(own as object), type })),
  );
  return fc.oneof(...events) as Arbitrary<never>;
}

function invalid(what: string): BosunError {
  return new BosunError('BOSUN_CONFIG_INVALID', what);
}
