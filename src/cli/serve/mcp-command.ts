/**
 * `bosun mcp`: a server of MCP on stdin and stdout for a coding agent, over the system of its folder. Only the protocol
 * is loaded before the handshake, for which clients wait 10 s; the system is looked for meanwhile.
 */
import { type ToolProfile } from '../../actors/api/procedure.ts';
import { messageOf } from '../../errors.ts';
import { unawaitedLine } from '../../log.ts';
import { plainLine } from '../../plain-text.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { rootOf } from '../default-data.ts';
import { type ServiceLog } from './service-log.ts';
import { type SharedSystem } from './shared-system.ts';
import { aborted, type DataCommand, type Output, type ProtocolStreams, type OnUnawaited } from '../surroundings.ts';

export interface McpCommand extends Omit<DataCommand, 'data' | 'json'> {
  /**
   * The data directory. If the user named none, it is undefined; then the config's is used, or `.bosun` at the root of
   * the repository.
   */
  readonly data: string | undefined;
  readonly profiles: readonly ToolProfile[] | undefined;
  /** The name of the agent, which calls as `mcp:` followed by this name. */
  readonly as: string;
  readonly isOperator: boolean;
  readonly streams: ProtocolStreams | undefined;
  readonly interrupt: AbortSignal;
  readonly onUnawaited: OnUnawaited | undefined;
}

/** Serves the tools. Resolves to 0 when the client has gone or the process is told to end. */
export async function mcpCommand(command: McpCommand): Promise<ExitCode> {
  const { streams, err, interrupt } = command;
  if (streams === undefined) {
    err.write('bosun mcp speaks a protocol on stdin and stdout: start it as a program of its own\n');
    return EXIT.badInput;
  }
  const log = plainLog(err);
  command.onUnawaited?.((reason) => log.runtime(unawaitedLine(reason)));
  const gone = ended(streams);
  const [{ serveOnStreams }, { liveDoor }] = await Promise.all([
    import('../../gateway/mcp/stdio.ts'),
    import('./live-door.ts'),
  ]);
  const { isOperator, remote, profiles, as } = command;
  const found = shared(command, log);
  const door = liveDoor(found, {
    agent: isOperator ? 'operator' : `mcp:${as}`,
    isPerson: isOperator || remote !== undefined,
    isProgram: !isOperator && remote === undefined,
    log: log.error,
  });
  const end = serveOnStreams(door, { ...streams, profiles, onError: (error) => log.error(messageOf(error)) });
  await Promise.race([gone, aborted(interrupt)]);
  await end();
  await (await found).close();
  return EXIT.completed;
}

/** Finds or starts the system behind the tools, beginning at once. */
async function shared({ data, cwd, env, remote, as, isOperator }: McpCommand, log: ServiceLog): Promise<SharedSystem> {
  const { SharedSystem: Shared } = await import('./shared-system.ts');
  const caller = isOperator ? undefined : `mcp:${as}`;
  const system = new Shared({ root: rootOf(cwd), data, remote, as: caller, env, log });
  // The next call looks again, and tells its caller why there is none.
  system.gateway().catch((error: unknown) => log.error(messageOf(error)));
  return system;
}

/** Writes lines to stderr, which hosts of MCP show unchanged. */
function plainLog(err: Output): ServiceLog {
  const say = (text: string) => void err.write(`bosun mcp: ${plainLine(text)}\n`);
  return { info: say, error: say, runtime: (...args) => say(args.map(textOf).join(' ')) };
}

function textOf(part: unknown): string {
  return part instanceof Error ? part.message : typeof part === 'string' ? part : (JSON.stringify(part) ?? 'undefined');
}

/** Resolves when the client has closed its side. */
function ended({ input, output }: ProtocolStreams): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['end', 'close', 'error'] as const) input.once(name, () => resolve());
    output.once('error', () => resolve());
  });
}
