/**
 * The facts that readers can learn of a system, as lines of text. The writer of a kept store records them, and the test
 * finds them again.
 */
import { type BosunError, Table } from 'bosun';
import { type Run } from '../../../src/actors/api/run-pages.ts';
import { type Shard } from '../../../src/shard.ts';

/** The addresses of an actor and of all below it, as far as they are in memory, in order of birth. */
export function addressesUnder(system: Shard, address: string): string[] {
  return [address, ...system.admin.getState(address).children.flatMap((child) => addressesUnder(system, child))];
}

/**
 * The facts of a system as of its last durable epoch, a line of text each. Numbers that each start counts anew are left
 * out, and so is the state of Bosses, which is Bosun's own. Fields are named one by one, so that a new one changes no
 * fact.
 */
export async function factsOf(
  system: Shard,
  { addresses, homes }: { readonly addresses: readonly string[]; readonly homes: readonly string[] },
): Promise<string[]> {
  const facts: Fact[] = [];
  for (const address of addresses) facts.push(...(await factsAt(system, address)));
  for (const letter of system.deadLetters.list())
    facts.push([`dead letter ${letter.number}`, of(letter, 'reason address atMs error event action')]);
  for (const order of await system.admin.audit())
    facts.push([`audit ${order.number}`, of(order, 'atMs by reason order address life arguments outcome')]);
  // What an effect waits for begins anew with each start.
  for (const wait of system.admin.waiting())
    if (wait.kind !== 'effect') facts.push([`wait ${wait.kind}`, of(wait, 'address state for sinceMs untilMs')]);
  for (const home of homes) {
    facts.push([`members of ${home}`, system.members(`friends of ${home}`)]);
    for (const name of [`friend of ${home}`, `annexe of ${home}`]) facts.push([name, system.lookup(name)]);
    facts.push([`session of ${home}`, system.lastSequence(`session of ${home}`)]);
  }
  for (const run of (await system.results.list({ newestFirst: false })).runs)
    facts.push(...(await factsOfRun(system, run)));
  const { records } = await system.records.find('ledger', 'placed', ['customer', 'ada']);
  for (const record of records)
    facts.push([`found ${record.address}/${record.number}`, of(record, 'atMs sequence value')]);
  return [...addresses.map((address) => `actor ${address}`), ...facts.map(lineOf)];
}

/** The addresses in a list of facts. */
export const addressesIn = (facts: readonly string[]) =>
  facts.flatMap((fact) => (fact.startsWith('actor ') ? [fact.slice('actor '.length)] : []));

function lineOf([name, fact]: Fact): string {
  return `${name}: ${JSON.stringify(plain(fact))}`;
}

type Fact = readonly [name: string, fact: unknown];

/** Some fields of an object. */
function of(object: object, fields: string): object {
  return Object.fromEntries(fields.split(' ').map((field) => [field, (object as Record<string, unknown>)[field]]));
}

async function factsAt(system: Shard, address: string): Promise<Fact[]> {
  const actor = system.admin.getState(address);
  const { boss, ...node } = system.tree(address);
  const facts: Fact[] = [
    [address, of(actor, 'agent life effectId version incarnation parent kind status suspended mailbox')],
    [`${address} restarts`, of(node, 'restarts restartInMs')],
  ];
  if (boss !== null) facts.push([`${address} Boss`, of(boss, 'strategy intensity periodMs restartsInPeriod')]);
  else facts.push([`${address} state`, of(actor, 'value context output error tags')]);
  // A start of an effect is a change of its own.
  if (boss === null && actor.kind === 'machine') facts.push([`${address} sequence`, actor.sequence]);
  for (const message of actor.unread)
    facts.push([`${address} unread`, of(message, 'kind event from sinceMs deliveries')]);
  // This one begins its delay with each start.
  for (const timer of [...actor.timers].sort((a, b) => (a.id < b.id ? -1 : 1)))
    if (timer.id !== 'again') facts.push([`${address} timer ${timer.id}`, of(timer, 'deadlineMs event')]);
  for (const { name } of actor.records)
    for (const record of (await system.records.list(address, name)).records)
      facts.push([`${address} ${name} ${record.number}`, of(record, 'atMs sequence value')]);
  for (const turn of await system.admin.history(address))
    facts.push([
      `${address} turn`,
      of(turn, 'kind epoch atMs sequence event cause actions change value status context'),
    ]);
  return facts;
}

/** The facts that an ended actor has left. */
async function factsOfRun(system: Shard, { address, ...run }: Run): Promise<Fact[]> {
  const fields = 'agent version life status output error startedAtMs endedAtMs attempts sequence';
  const facts: Fact[] = [[`run ${address}`, of(run, fields)]];
  for (const turn of await system.admin.history(address))
    facts.push([`run ${address} turn`, of(turn, 'kind atMs sequence event value status context')]);
  if (run.agent !== 'errand') return facts;
  const seen = [
    ...(await system.records.list(address, 'seen')).records,
    ...(await system.records.find('errand', 'seen', ['what', address])).records,
  ];
  for (const record of seen) facts.push([`run ${address} seen ${record.number}`, of(record, 'atMs sequence value')]);
  return facts;
}

/** A value in the form of JSON, in which what JSON does not know has a name. */
export function plain(value: unknown): unknown {
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0) ? value : { number: textOf(value) };
  if (typeof value === 'bigint') return { bigint: String(value) };
  if (value === undefined) return { absent: true };
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return { date: value.toISOString() };
  if (value instanceof Map) return { map: [...value].map(plain) };
  if (value instanceof Set) return { set: [...value].map(plain) };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') };
  if (value instanceof Table) return { table: [...value].map(plain) };
  if (value instanceof Error) return { error: value.message, code: (value as BosunError).code ?? null };
  // A reference to an actor.
  if ('toJSON' in value) return { actor: (value as { toJSON(): unknown }).toJSON() };
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
}

const textOf = (number: number) => (Object.is(number, -0) ? '-0' : String(number));
