/**
 * The agents of plan.yaml: they read a table, find rows that may be one, doubt that, convert, check and load. Files are
 * the only outside world; writing one again changes nothing, so every stage may run twice.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { WorkContext } from 'bosun/machines';

interface Row {
  /** Ids of the old rows that it stands for. */
  readonly ids: readonly string[];
  readonly name: string;
  readonly town: string;
  readonly balance: number;
}

/** Names at least this alike are one row, says the matcher; the auditor wants them equal. */
const ALIKE = 0.8;
const EQUAL = 1;

const inRun = (...path: string[]) => join(process.env['BOSUN_DATA_DIR'] ?? '.', ...path);
const total = (rows: readonly Row[]) => rows.reduce((sum, { balance }) => sum + balance, 0);
const debateOf = (item: string) => `${item}-similarity`;

/** Reads the old table; a file of the same name in the directory `corrected` of the run takes its place. */
export async function reader(_: unknown, { item }: WorkContext): Promise<Row[]> {
  const corrected = inRun('corrected', `${item}.csv`);
  const file = existsSync(corrected) ? corrected : join(import.meta.dirname, 'data', `${item}.csv`);
  const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const width = header!.split(';').length;
  return lines.map((line, index) => {
    const [id, name, town, balance, ...more] = line.split(';');
    if (balance === undefined || more.length > 0 || Number.isNaN(Number(balance)))
      throw new Error(`${item}.csv, line ${index + 2}: not the ${width} fields ${header}`);
    return { ids: [id!], name: name!, town: town!, balance: Number(balance) };
  });
}

/** How alike two names are: the share of their pairs of letters that both have. */
function likeness(a: string, b: string): number {
  const pairs = (text: string) =>
    Array.from(text.toLowerCase()).flatMap((one, i, all) => (i > 0 ? all[i - 1]! + one : []));
  const both = pairs(a).filter((pair) => pairs(b).includes(pair)).length;
  return (2 * both) / (pairs(a).length + pairs(b).length);
}

function merged(rows: readonly Row[], similarity: number): Row[] {
  return rows.reduce<Row[]>((kept, row) => {
    const at = kept.findIndex(({ name, town }) => town === row.town && likeness(name, row.name) >= similarity);
    const one = kept[at];
    if (one === undefined) return [...kept, row];
    return kept.with(at, { ...one, ids: [...one.ids, ...row.ids], balance: one.balance + row.balance });
  }, []);
}

export async function matcher(_: unknown, { results }: WorkContext) {
  const rows = results['read'] as Row[];
  return { similarity: ALIKE, rows: merged(rows, ALIKE).length };
}

/** Disputes a threshold that makes one row of two, and waits until there is a value to go on with. */
export async function auditor(_: unknown, { item, results, crew, signal }: WorkContext) {
  const [rows, found] = [results['read'] as Row[], results['match'] as { similarity: number; rows: number }];
  if (found.rows === rows.length) return 'nothing to dispute';
  const id = debateOf(item);
  const { problems } = await crew.challenge({
    ...{ id, topic: `Which ${item} are one?`, challenged: { agent: 'matcher' }, escalationMs: 200 },
    disputedFinding: `Names that are alike by ${found.similarity} are one row.`,
    basis: { statement: 'A merge is for ever.', evidence: [{ kind: 'rule', source: 'audit 7', strength: 0.9 }] },
    ...{ priority: 'irreversible', valueKind: 'similarity', context: { table: item, key: 'name' } },
    positions: {
      challenger: { statement: 'equal names only', value: EQUAL },
      challenged: { statement: `alike by ${found.similarity}`, value: found.similarity },
    },
    dependents: [{ id: 'convert', measure: 'rows', current: rows.length, response: { perUnit: 5 }, runMs: 1_000 }],
  });
  const level = async () => (await crew.debates()).find(({ debate }) => debate === id)?.level;
  if ((await level()) === undefined) throw new Error(problems.join('; '));
  while (/^(setup|L[123])$/.test((await level()) ?? '')) await wait(50, undefined, { signal });
  return 'disputed';
}

/** Writes the new table by the value that holds now: the matcher's, or that of the debate. */
export async function converter(_: unknown, { item, results, decisions, subtask, signal }: WorkContext) {
  const similarity = Number(
    decisions[debateOf(item)]?.value ?? (results['match'] as { similarity: number }).similarity,
  );
  const rows = await subtask('merge', () => merged(results['read'] as Row[], similarity));
  await wait(Number(process.env['BOSUN_PACE_MS'] ?? 1_500), undefined, { signal });
  const path = inRun('new', `${item}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.tmp`, JSON.stringify(rows));
  renameSync(`${path}.tmp`, path);
  return { rows: rows.length, similarity };
}

/** Compares the new table with the old one: every id once, and the same sum. */
export async function checker(_: unknown, { item, results }: WorkContext) {
  const [old, rows] = [
    results['read'] as Row[],
    JSON.parse(readFileSync(inRun('new', `${item}.json`), 'utf8')) as Row[],
  ];
  const ids = rows.flatMap((row) => row.ids);
  if (ids.length !== old.length || new Set(ids).size !== old.length) throw new Error(`${item}: ids are missing`);
  if (total(rows) !== total(old)) throw new Error(`${item}: the sum is ${total(rows)}, not ${total(old)}`);
  return { proposal: `load ${rows.length} rows for ${old.length}, sum ${total(rows)}` };
}

export async function loader(_: unknown, { item }: WorkContext) {
  const path = inRun('loaded', `${item}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, readFileSync(inRun('new', `${item}.json`)));
  return { files: [{ path }] };
}

/** The matcher has ended when it is challenged: this speaks for it. */
async function defend() {
  const evidence = [{ kind: 'sample', source: '200 rows looked at', strength: 0.7 }];
  return { statement: 'An S more or less is a typing error.', evidence };
}

export const ports = { defend };
