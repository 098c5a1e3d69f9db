/** The functions of hub.yaml. Each does one session's work and recommends a role; the hub decides. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SpokeFunction } from 'bosun/crew';

/** Finds the line that is wrong, and says so in its hand-off. */
export const diagnose: SpokeFunction = ({ workspace }) => {
  const lines = readFileSync(join(workspace, 'sum.mjs'), 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes('a - b')) + 1;
  return { handoff: { outcome: 'fixed', recommended: 'Executor', reason: `sum.mjs:${line} subtracts` } };
};

/** Repairs it. A model or a coding agent would stand here. */
export const repair: SpokeFunction = async ({ workspace }, { step }) => {
  await step();
  const file = join(workspace, 'sum.mjs');
  writeFileSync(file, readFileSync(file, 'utf8').replace('a - b', 'a + b'));
  return {
    handoff: {
      outcome: 'done',
      recommended: 'Reviewer',
      reason: 'sum adds now',
      data: { files_modified: ['sum.mjs'] },
    },
  };
};

export const archive: SpokeFunction = () => ({ archives: true });
