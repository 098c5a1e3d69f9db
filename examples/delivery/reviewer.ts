/**
 * The reviewer: looks for sums that are rounded part by part, and calculates what that makes of a small order. What it
 * finds is a claim with evidence, which the coder may dispute.
 */
import { randomUUID } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Objection {
  readonly file: string;
  readonly finding: string;
  /** The reviewer's own position. */
  readonly wanted: string;
  readonly evidence: string;
}

/** An order of three small lines, on which rounding shows. */
const SMALL = Array.from({ length: 3 }, () => ({ price: 7, count: 1 }));

/** The first objection to these files of a worktree; null if there is none. */
export async function objectionTo(folder: string, files: readonly string[]): Promise<Objection | null> {
  for (const file of files.filter((name) => name.startsWith('src/'))) {
    const text = readFileSync(join(folder, file), 'utf8');
    if (!/reduce\([^]*Math\.round/.test(text)) continue;
    const { vatOf } = (await fresh(join(folder, file))) as { vatOf?(lines: readonly object[]): number };
    if (vatOf === undefined) continue;
    const sum = SMALL.reduce((all, { price }) => all + price, 0);
    const [byLine, whole] = [vatOf(SMALL), vatOf([{ price: sum, count: 1 }])];
    // A model may write a reduction that is rounded once, at its end.
    if (byLine === whole) continue;
    return {
      file,
      finding: 'VAT is rounded on each line of an order',
      wanted: 'VAT is rounded once, on the order',
      evidence: `three lines of 7 cents: ${byLine} cents line by line, ${whole} on the order`,
    };
  }
  return null;
}

/** Loads a module as it is now, also if it was another one before. */
async function fresh(path: string): Promise<unknown> {
  const copy = path.replace(/\.js$/, `.${randomUUID()}.js`);
  copyFileSync(path, copy);
  try {
    return (await import(pathToFileURL(copy).href)) as unknown;
  } finally {
    rmSync(copy, { force: true });
  }
}
