/** The functions of hub.yaml. Each does one session's work and recommends a role; the hub decides. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SpokeFunction } from 'bosun/crew';

/** Mistakes that the repair knows, with what is right, and the name of the mistake. */
const MISTAKES = [
  { wrong: 'a - b', right: 'a + b', name: 'subtracts' },
  { wrong: 'sum(a, b) * 2', right: 'sum(a, b) / 2', name: 'doubles' },
];

/** The first mistake in the file of the session's own directory. */
function firstMistake(workspace: string) {
  const lines = readFileSync(join(workspace, 'sum.mjs'), 'utf8').split('\n');
  for (const mistake of MISTAKES) {
    const line = lines.findIndex((text) => text.includes(mistake.wrong)) + 1;
    if (line > 0) return { ...mistake, line };
  }
  throw new Error('nothing in sum.mjs looks wrong');
}

/** Repairs one mistake, in a tree of its own. A model or a coding agent would stand here. */
export const repair: SpokeFunction = async ({ workspace }, { step }) => {
  await step();
  const { wrong, right, line } = firstMistake(workspace);
  const file = join(workspace, 'sum.mjs');
  writeFileSync(file, readFileSync(file, 'utf8').replace(wrong, right));
  return {
    handoff: {
      outcome: 'done',
      recommended: 'Reviewer',
      reason: `line ${line} is mended`,
      data: { files_modified: ['sum.mjs'] },
    },
  };
};

/** Finds the line that is still wrong, and says so in its hand-off. */
export const diagnose: SpokeFunction = ({ workspace }) => {
  const { line, name } = firstMistake(workspace);
  return { handoff: { outcome: 'fixed', recommended: 'Executor', reason: `sum.mjs:${line} ${name}` } };
};

export const archive: SpokeFunction = () => ({ archives: true });
