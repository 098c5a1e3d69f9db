/**
 * Commands of the sessions of a hub's run: their environment, the files of their hand-offs, their output, and their
 * end.
 */
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type HubCrewOptions, type CommandWork } from '../../crew-hub.ts';
import { type ReadOutput } from '../../crew-hub-looks.ts';
import { sessionToken } from '../../crew-hub-sessions.ts';
import { type AgentSpec, isReader } from '../../machines/hub/agent-spec.ts';
import { type HubOrder } from '../../machines/hub/hub-file.ts';
import { OUTPUT_TAIL_CHARS } from '../../machines/hub/session-records.ts';
import { PRESETS } from '../../machines/hub/presets.ts';
import { promptIn, promptToMend } from '../../machines/hub/prompt.ts';
import { Commands } from '../../spokes/command.ts';
import { type Printed } from '../../spokes/output-file.ts';
import { Outputs, type TryOutput } from '../../spokes/outputs.ts';
import { LeftOvers } from '../../spokes/processes.ts';
import { quoted, runSession, type SessionCommand, type SessionFiles } from '../../spokes/session-command.ts';
import { readReport } from '../../spokes/readers/report.ts';
import { masked, secretsIn, sessionEnvironment } from '../../spokes/session-environment.ts';
import { type ReadPatch, Worktrees } from '../../spokes/worktrees.ts';
import { type DataDirectory, identityOf, refuseForeign } from '../store/data-directory.ts';
import { type HubSource } from './hub-file.ts';
import { keyFileIn } from '../sessions/session-key.ts';
import { type Environment } from '../surroundings.ts';

/** The script that calls a tool: the launcher of this package, whether this file is its source or built. */
const LAUNCHER = resolve(import.meta.dirname, '../../../dist/cli/main.js');
const CALL_TOOL = `exec "${process.execPath}" "${LAUNCHER}" session tool`;

type RunnerOptions = 'runCommand' | 'callTool' | 'kill' | 'places' | 'check';

export interface SessionRunner extends Required<Pick<HubCrewOptions, RunnerOptions>> {
  /** Reads what the command of a session has printed. */
  readonly output: ReadOutput;
  /** Changed files of a session and their patch. */
  changes(session: string, chars: number): Promise<ReadPatch | undefined>;
  /** Removes the trees of sessions that are over; their changes stay as patches. */
  sweep(isOpen: (session: string) => boolean): Promise<unknown>;
  /** Ends commands that an earlier process left running. Call it only while holding the directory's store. */
  clear(): Promise<unknown>;
  /** Resolves when no command runs. After an abort this takes at most as long as the final signal. */
  ended(): Promise<void>;
}

export interface SessionHost {
  readonly env: Environment;
  /** The workspace and the agents of the run. */
  readonly order: Pick<HubOrder, 'workspace' | 'agents'>;
  /** The rest of its file. */
  readonly source: Pick<HubSource, 'links' | 'check'>;
  /** The key of session tokens. */
  readonly key: Uint8Array;
  /** Resolves to the URL of the gateway once that is open; undefined where the run has none. */
  readonly url: Promise<string> | undefined;
}

/**
 * Makes the runner.
 *
 * @param directory An existing directory.
 */
export function sessionRunner(directory: DataDirectory, host: SessionHost): SessionRunner {
  const { env, order } = host;
  const { workspace } = order;
  const store = identityOf(directory);
  const commands = new Commands({ store, cwd: workspace, env: () => ({}), endsStrays: true });
  const outputs = new Outputs(outputFolder(directory));
  const { links, check } = host.source;
  const without = [directory.path];
  const places = new Worktrees({ folder: treeFolder(directory), workspace, without, links });
  const secrets = secretsIn(env, Object.values(order.agents).flatMap(namedBy));
  const runner: SessionRunner = {
    async output(session, chars) {
      const found = await outputs.lastOf(session, chars);
      return found === undefined ? undefined : shown(found, secrets, chars);
    },
    async runCommand(given, effect, signal) {
      const work = { ...given, prompt: promptIn(promptToMend(given.prompt, given.problems), given) };
      const { session, round, role, problems, run, byExit, prompt, isOver, begin, workspace: own } = work;
      const files = filesOf(directory, host.key, { work, outputs });
      const variables = sessionEnvironment(env, namedBy(work.spec), await told(host, work, files));
      const place = { commands, outputs, workspace: own, begin, files, env: variables };
      const { does } = work.spec;
      const input = { session, role, prompt, problems, ...(does.kind === 'mcp' && { task: work.task, does }) };
      const usage = does.kind === 'command' ? does.usage : undefined;
      const command = { session, round, run, byExit, report: reportOf(work.spec), usage, prompt, input, isOver };
      try {
        return await runSession(command, place, { effect, signal });
      } finally {
        // A session that waits no longer takes nothing more.
        if (!signal.aborted) {
          const printed = await outputs.endOf({ session, round }, OUTPUT_TAIL_CHARS);
          const output = shown(printed, secrets, OUTPUT_TAIL_CHARS);
          await effect.tellParent({ type: 'session.output', output } as never);
        }
      }
    },
    places,
    changes: (session, chars) => places.read({ session, isIsolated: true }, chars),
    sweep: (isOpen) => places.sweep(isOpen),
    async check(place, effect, signal) {
      if (check === undefined) return null;
      const cwd = await places.directoryOf(place);
      const output = await outputs.begin({ session: `${place.session}-check`, round: 1 });
      const command = { name: `${place.session}-check`, run: withoutCode(check.run), input: null, cwd };
      await commands.run(
        { ...command, env: sessionEnvironment(env, [], { BOSUN_PROMPT: '' }) },
        { effect, signal, output },
      );
      const text = await outputs.stdoutOf({ session: `${place.session}-check`, round: 1 });
      const { findings } = readReport(check.handoff, text ?? '', { workspace: cwd });
      return findings.map(({ file, line, message }) => [file, line, message].filter((one) => one !== null).join(':'));
    },
    // A process of its own, so that what it starts is on the leash.
    callTool: (work, effect, signal) => runner.runCommand({ ...work, run: CALL_TOOL, byExit: false }, effect, signal),
    kill: async (session) => void (await new LeftOvers(store).end((name) => name === session)),
    clear: () => commands.clear(),
    ended: () => commands.ended(),
  };
  return runner;
}

/** The script in a shell of its own, whose exit code says nothing that its report does not. */
function withoutCode(run: string): string {
  return `/bin/sh -c ${quoted(run)}\n:`;
}

/** Output without secrets, at most so many characters of each stream. */
function shown({ round, stdout, stderr }: TryOutput, secrets: readonly string[], chars: number): TryOutput {
  const without = ({ bytes, tail }: Printed) => ({ bytes, tail: masked(tail, secrets).slice(-chars) });
  return { round, stdout: without(stdout), stderr: without(stderr) };
}

/** Where an agent's command has its report; null for one without a reader. */
function reportOf({ does }: AgentSpec): SessionCommand['report'] {
  if (does.kind !== 'command' || !isReader(does.handoff)) return null;
  return { reader: does.handoff, file: does.report ?? null };
}

/** Names of the variables that an agent's command gets besides. */
function namedBy({ does }: AgentSpec): readonly string[] {
  if (does.kind !== 'command') return does.kind === 'mcp' ? (does.env ?? []) : [];
  return [...(does.env ?? []), ...(does.usage === undefined ? [] : PRESETS[does.usage].keys)];
}

/** The facts of a session that its command is told, with a token of its own where the run has a gateway. */
async function told({ key, url, order }: SessionHost, work: CommandWork, files: SessionFiles) {
  const { session, role, hub, runId: run, planId: plan, prompt } = work;
  const isKnown = url !== undefined && run !== undefined && plan !== undefined;
  return {
    ...{ BOSUN_SPOKE: '1', BOSUN_SESSION: session, BOSUN_ROLE: role, BOSUN_HUB_ROLE: hub, BOSUN_PLAN: plan },
    ...{ BOSUN_WORKSPACE: order.workspace, BOSUN_HANDOFF: files.handoff },
    ...{ BOSUN_PROMPT: prompt, BOSUN_PROMPT_FILE: files.prompt, BOSUN_URL: await url },
    BOSUN_TOKEN: isKnown ? await sessionToken(key, { session, run, plan, role }) : undefined,
  };
}

/** The files of a try. The name of the hand-off follows from the key: no other session can guess it. */
function filesOf(
  directory: DataDirectory,
  key: Uint8Array,
  { work: { session, round }, outputs }: { readonly work: CommandWork; readonly outputs: Outputs },
): SessionFiles {
  const name = `${session}-${round}`;
  const mark = createHmac('sha256', key).update(name).digest('base64url').slice(0, 22);
  const prompt = join(outputs.folderOf({ session, round }), 'prompt.md');
  return { handoff: join(handoffFolder(directory), `${name}-${mark}.json`), prompt };
}

/** Removes the files of sessions: those of a new store have the names of those of the old one. */
export async function dropSessionFiles(directory: DataDirectory): Promise<void> {
  await rm(handoffFolder(directory), { recursive: true, force: true });
  await new Outputs(outputFolder(directory)).drop();
}

/** Removes the trees of the sessions of a store that is removed, with their patches. */
export async function dropTrees(directory: DataDirectory, workspace: string): Promise<void> {
  const folder = treeFolder(directory);
  await new Worktrees({ folder, workspace }).sweep(() => false);
  await rm(folder, { recursive: true, force: true });
}

/**
 * Refuses a directory in which no hub has run and that has folders by the names of those of sessions, which would be
 * removed. Throws BOSUN_CONFIG_INVALID.
 */
export function refuseForeignFolders(directory: DataDirectory): void {
  if (existsSync(keyFileIn(directory.path))) return;
  const folders = [treeFolder, handoffFolder, outputFolder].map((folderOf) => folderOf(directory));
  const found = folders.find((folder) => existsSync(folder));
  refuseForeign(directory.path, found && basename(found));
}

function treeFolder({ path }: DataDirectory): string {
  return join(path, 'work');
}

function handoffFolder({ path }: DataDirectory): string {
  return join(path, 'handoffs');
}

function outputFolder({ path }: DataDirectory): string {
  return join(path, 'output');
}
