/**
 * `bosun handoff` and `bosun session complete`, for commands in the session of a spoke. They go to the gateway of the
 * run, which answers at once whether they fit; without a gateway, or with one that is gone, into the file that is the
 * hand-off.
 */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { closesAlone, handoffProblems } from '../../machines/hub/handoff-rules.ts';
import { handoffSaid, type HandoffSaid } from '../../machines/hub/handoff.ts';
import { type Role, ROLES } from '../../machines/hub/roles.ts';
import { carriedOut, type ExitCode } from '../exit-codes.ts';
import { jsonObject } from '../json-text.ts';
import { jsonLine } from '../json-lines.ts';
import { type DataCommand, type Environment } from '../surroundings.ts';

export interface HandoffOptions {
  readonly reason: string;
  readonly recommend?: string;
  readonly outcome?: string;
  readonly to?: string;
  readonly build?: string;
  readonly buildExit?: number;
  readonly testsPass?: true;
  readonly testsFail?: true;
  readonly with?: string;
}

export interface CompleteOptions {
  readonly summary: string;
  readonly artifact?: readonly string[];
}

/** The route of the procedure that takes both orders. */
const AGENT = { http: { verb: 'POST', path: '/v1/procedures/session.agent' } } as const;

export function handoffCommand(command: DataCommand, options: HandoffOptions): Promise<ExitCode> {
  return carriedOut(command, async () => {
    const session = sessionIn(command.env);
    const said = await saidBy(options, command, session);
    const { recommended, outcome, reason, build, testsPass, data } = said;
    const reply = await ordered(session, {
      ...{ action: 'handoff', from_agent: session.role, to_agent: said.to, reason, outcome, data },
      ...{ recommended, build, tests_pass: testsPass },
    });
    const whom = `${session.role} -> ${recommended ?? 'nobody'}`;
    if (reply !== undefined) return tell(command, session, { via: 'gateway', ...reply }, `${whom}: on record`);
    const problems = handoffProblems({ ...session, isBuildCheck: false }, said);
    if (problems.length > 0)
      throw new BosunError('BOSUN_ORDER_REFUSED', problems.join('; '), { details: { problems } });
    write(session.file, said);
    tell(command, session, { via: 'file' }, `${whom}: it counts when the command ends`);
  });
}

export function completeCommand(command: DataCommand, { summary, artifact = [] }: CompleteOptions): Promise<ExitCode> {
  return carriedOut(command, async () => {
    const session = sessionIn(command.env);
    const { role: agent_type } = session;
    const reply = await ordered(session, { action: 'complete', agent_type, summary, artifacts: artifact });
    if (reply !== undefined) return tell(command, session, { via: 'gateway', ...reply }, 'completed');
    const before = statSync(session.file, { throwIfNoEntry: false });
    if (before === undefined && !closesAlone(session.role))
      throw new BosunError('BOSUN_ORDER_REFUSED', `${session.id} has not handed off: bosun handoff comes first`);
    const said = before === undefined ? {} : jsonObject(readFileSync(session.file, 'utf8'), 'the hand-off');
    write(session.file, { ...said, summary, artifacts: artifact });
    tell(command, session, { via: 'file' }, 'it completes when the command ends');
  });
}

/** Gives an order to the gateway, and returns the reply; undefined without one that answers. */
async function ordered(
  { door, plan, workspace }: Session,
  order: Readonly<Record<string, unknown>>,
): Promise<object | undefined> {
  if (door === undefined) return undefined;
  const given = Object.entries({ ...order, plan_id: plan, workspace_id: workspace });
  // What is not said is left out: a parameter is absent, and never null.
  const params = Object.fromEntries(given.filter(([, value]) => value !== null));
  try {
    // Only then its modules are loaded: without a gateway a spoke hands off in a third of the time.
    const { LiveGateway } = await import('../reach/live-gateway.ts');
    return (await new LiveGateway(door).callOffered(AGENT, params)) as object;
  } catch (error) {
    if (isBosunError(error, 'BOSUN_SYSTEM_CLOSED')) return undefined;
    throw error;
  }
}

/** The hand-off that the options say. Throws BOSUN_CALL_INVALID for one that has not its form. */
async function saidBy(options: HandoffOptions, { cwd }: DataCommand, { hub }: Session): Promise<HandoffSaid> {
  const { reason, recommend = null, outcome = null, to = hub, build, buildExit = 0, testsPass, testsFail } = options;
  const data = options.with === undefined ? {} : jsonObject(await contentsOf(options.with, cwd), '--with');
  const { data: said, error } = handoffSaid.safeParse({
    ...{ to, outcome, recommended: recommend, reason, data: { ...data, recommendation: recommend } },
    build: build === undefined ? null : { command: build, exitCode: buildExit },
    testsPass: testsPass ?? (testsFail === true ? false : null),
  });
  if (said !== undefined) return said;
  const problems = error.issues.map(({ path, message }) => `${path.join('.') || 'the hand-off'}: ${message}`);
  throw new BosunError('BOSUN_CALL_INVALID', problems.join('; '), { details: { problems } });
}

/** The contents of a file, or of stdin for `-`. */
async function contentsOf(file: string, cwd: string): Promise<string> {
  try {
    return file === '-' ? await textOf(process.stdin) : readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new BosunError('BOSUN_CALL_INVALID', `--with: ${messageOf(error)}`, { cause: error });
  }
}

type Session = ReturnType<typeof sessionIn>;

/** The session around this process, as its environment tells it. Throws BOSUN_CONFIG_INVALID if there is none. */
export function sessionIn(env: Environment) {
  const { BOSUN_SESSION: id, BOSUN_HANDOFF: file, BOSUN_ROLE: role, BOSUN_HUB_ROLE: hub } = env;
  if (id === undefined || file === undefined || !isRole(role) || !isRole(hub))
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      'this is no session of a spoke (BOSUN_SESSION is not set): agents of `bosun hub run` call it in their commands',
    );
  const { BOSUN_PLAN: plan = '', BOSUN_WORKSPACE: workspace = '', BOSUN_URL: url, BOSUN_TOKEN: token } = env;
  const door = url === undefined || token === undefined ? undefined : { url, token };
  return { id, file, role, hub, plan, workspace, door };
}

function isRole(text: string | undefined): text is Role {
  return (ROLES as readonly (string | undefined)[]).includes(text);
}

/** Writes a file that is there whole or not at all. */
export function write(file: string, value: object): void {
  writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function tell({ json, out }: DataCommand, { id }: Session, facts: object, said: string): void {
  out.write(json ? jsonLine({ session: id, ...facts }) : `${id}: ${said}\n`);
}
