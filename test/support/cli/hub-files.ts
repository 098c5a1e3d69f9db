/** Files of runs for tests: agents whose commands note their role in `log` and hand off. */
import { readFileSync } from 'node:fs';
import { linesOf, type Workspace } from './workspace.ts';

/** A command that notes its role, waits for a file `go-ROLE` if told to, and hands off by the file. */
export function script(role: string, said: object, { waits = false } = {}): { readonly run: string; handoff: 'file' } {
  const json = JSON.stringify({ reason: `${role} says so`, ...said });
  const wait = waits ? `echo $$ > pid-${role}\nwhile [ ! -e go-${role} ]; do sleep 0.02; done\n` : '';
  const write = `printf '%s' '${json}' > "$BOSUN_HANDOFF.new"\nmv "$BOSUN_HANDOFF.new" "$BOSUN_HANDOFF"`;
  return { run: `echo ${role} >> log\n${wait}${write}`, handoff: 'file' };
}

/** The agents of a run to its end. */
export const CHAIN = {
  Executor: script('Executor', { outcome: 'done', recommended: 'Reviewer' }),
  Reviewer: script('Reviewer', { outcome: 'approved', recommended: 'Tester', build: { command: 'make', exitCode: 0 } }),
  Tester: script('Tester', { outcome: 'passed', recommended: 'Archivist', testsPass: true }),
  Archivist: { run: 'echo Archivist >> log' },
};

/** The hand-offs of a run of `CHAIN`. */
export const HANDOFFS = ['Executor -> Reviewer', 'Reviewer -> Tester', 'Tester -> Archivist'];

/** Writes `hub.json`. */
export function writeHub(work: Workspace, agents: object, more: object = {}): void {
  work.write('hub.json', JSON.stringify({ version: 1, hub: 'mend', goal: 'mend it', agents, ...more }));
}

/** Roles in the order in which their commands ran. */
export function rolesRun(work: Workspace): string[] {
  return readFileSync(work.file('log'), 'utf8').split('\n').slice(0, -1);
}

/** The hand-offs that `bosun hub lineage --json` or the last line of a run prints. */
export function handoffsIn(out: string): string[] {
  const lines = linesOf(out) as unknown as readonly {
    readonly from: string;
    readonly recommended: string | null;
    readonly lineage?: readonly { readonly from: string; readonly recommended: string | null }[];
  }[];
  const entries = lines.at(-1)?.lineage ?? lines;
  return entries.map(({ from, recommended }) => `${from} -> ${recommended ?? 'nobody'}`);
}
