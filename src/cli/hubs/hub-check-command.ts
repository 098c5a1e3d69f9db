/** `bosun hub check FILE`: says what the file of a run holds, or all its problems, each with its place. */
import { isBosunError } from '../../errors.ts';
import { type AgentSpec, type Decides } from '../../machines/hub/agent-spec.ts';
import { amountsText } from '../../machines/hub/budget.ts';
import { EXIT, type ExitCode, writeError } from '../exit-codes.ts';
import { type HubSource, readHubFile } from './hub-file.ts';
import { type DataCommand } from '../surroundings.ts';
import { type Facts, factsText } from '../table.ts';

export async function hubCheckCommand(command: DataCommand & { readonly file: string }): Promise<ExitCode> {
  const { json, out } = command;
  try {
    const source = await readHubFile(command);
    out.write(json ? `${JSON.stringify({ file: source.file, order: source.order })}\n` : factsText(factsOf(source)));
    return EXIT.completed;
  } catch (error) {
    if (!isBosunError(error, 'BOSUN_CONFIG_INVALID')) throw error;
    // The file's own errors have all their lines.
    for (const line of error.details['problems'] as readonly string[]) writeError(command, error.code, line);
    return EXIT.badInput;
  }
}

function factsOf({ plan, order }: HubSource): Facts {
  const { hub, start, about, steps, agents, decides, limits, people, workspace } = order;
  const { timeMs } = limits;
  const begins = hub === 'TDDDriver' ? 'Tester' : start;
  const spokes = Object.entries(agents).map(([role, { does, fallback }]) => {
    return [role, fallback === null ? workText(does) : `${workText(does)}, or else ${fallback}`] as const;
  });
  return [
    [
      'hub',
      `${plan}, a ${hub} ${decides.kind === 'rules' ? `that begins with ${begins}` : `led by ${workText(decides)}`}`,
    ],
    ['goal', about.title],
    ['steps', steps.length === 0 ? null : steps.length],
    ...spokes,
    ['limits', `${limits.spawns} sessions, ${limits.concurrent} at once${timeMs === null ? '' : `, ${timeMs} ms`}`],
    ['budget', amountsText(limits)],
    ['people', people.includes('*') ? 'anybody' : people.join(', ')],
    ['workspace', workspace],
  ];
}

function workText(does: AgentSpec['does'] | Decides): string {
  if (does.kind === 'rules') return 'rules';
  if (does.kind === 'outside') return 'the holder of its token';
  if (does.kind === 'function' || does.kind === 'model') return `${does.kind} ${does.name}`;
  if (does.kind === 'mcp') return `${does.tool} of ${does.run ?? does.url}`;
  if (does.usage !== undefined) return `${does.usage} (hands off by ${does.handoff})`;
  const { run, handoff, report } = does;
  return `${run} (hands off by ${handoff}${report === undefined ? '' : ` in ${report}`})`;
}
