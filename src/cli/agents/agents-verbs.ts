/** The verbs of agent selection: which agent fits a task, what agents can do, and their files. */
import { Option } from 'commander';
import { option, type Options, type Verb, type VerbCall, type VerbGroup, wholeNumber } from '../verb.ts';

const FROM = option('--from <path>', 'a file or folder of agent files, such as .claude/agents, and no running system');

const list = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** The arguments of a verb on agents. Files are read in place of a system, so only one of them can be named. */
function given({ data, options: { from, url }, command }: VerbCall) {
  if (from !== undefined && url !== undefined)
    command.error('name agent files (--from) or a gateway (--url), not both');
  return { ...data, from };
}

/** The fields of a request that come from command-line options. */
function requestOf({ team, exclude, capability, max, mode, explain }: Options): Readonly<Record<string, unknown>> {
  const fields = { team, excludeAgents: exclude, requiredCapabilities: capability, maxResults: max, mode, explain };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const VERBS: readonly Verb[] = [
  {
    usage: 'list',
    says: 'List agents, and where each profile comes from.',
    examples: ['agents list', 'agents list --from .claude/agents'],
    options: [FROM],
    async run(call) {
      return (await import('./agents-command.ts')).listAgents(given(call));
    },
  },
  {
    usage: 'show <id>',
    says: 'Show the profile of an agent.',
    examples: ['agents show reviewer', 'agents show reviewer --json'],
    options: [FROM],
    async run(call, agentId: string) {
      return (await import('./agents-command.ts')).showAgent(given(call), agentId);
    },
  },
  {
    usage: 'recommend <task>',
    says: 'Recommend the agent that fits a task best.',
    examples: [
      'agents recommend "fix the flaky checkout test"',
      'agents recommend "fix the flaky checkout test" --from .claude/agents --explain',
      'agents recommend "plan the launch" --exclude ceo --exclude cto --max 1 --json',
    ],
    options: [
      option('--team <team>', 'only agents of this team'),
      option('--exclude <id>', 'leave an agent out; can be repeated').argParser(list),
      option('--capability <name>', 'only agents with this capability; can be repeated').argParser(list),
      option('--max <count>', 'largest number of agents in the result, 1 to 10 (default: 3)', wholeNumber),
      new Option('--mode <mode>', 'how agents are scored (default: blended)').choices(['blended', 'rules']),
      option('--explain', 'show every factor with its points'),
      FROM,
    ],
    async run(call, task: string) {
      return (await import('./agents-command.ts')).recommendAgent(given(call), { ...requestOf(call.options), task });
    },
  },
  {
    usage: 'capabilities',
    says: 'List what agents can do, and who can do it.',
    examples: ['agents capabilities', 'agents capabilities --category review --json'],
    options: [
      option('--category <category>', 'implementation, review, strategy, research or all (default: all)'),
      option('--include-disabled', 'also list agents that are disabled'),
      FROM,
    ],
    async run(call) {
      const { category, includeDisabled = false } = call.options;
      return (await import('./agents-command.ts')).listCapabilities(given(call), {
        ...(category !== undefined && { category }),
        includeDisabled,
      });
    },
  },
  {
    usage: 'guard',
    says: 'Check whether profiles say enough to be chosen by.',
    examples: ['agents guard', 'agents guard --from .claude/agents'],
    options: [FROM],
    async run(call) {
      return (await import('./agents-command.ts')).guardAgents(given(call));
    },
  },
  {
    usage: 'import <path>',
    says: 'Read agent files; register their agents if a system with a registry runs, else print their profiles.',
    examples: ['agents import .claude/agents', 'agents import card.json --json'],
    options: [option('--force', 'replace agents that are registered from elsewhere')],
    async run(call, path: string) {
      return (await import('./agents-command.ts')).importAgents(given(call), {
        path,
        replace: call.options.force === true,
      });
    },
  },
  {
    usage: 'export [id]',
    says: 'Write a profile, or all of them, in the form of another tool.',
    examples: [
      'agents export reviewer --as markdown > reviewer.md',
      'agents export --as catalog --out ai-catalog.json',
    ],
    options: [
      new Option('--as <form>', 'profile, markdown (Claude Code), card (A2A) or catalog (all agents)')
        .choices(['profile', 'markdown', 'card', 'catalog'])
        .default('profile'),
      option('--out <file>', 'write to a file'),
      FROM,
    ],
    async run(call, agentId: string | undefined) {
      const { as = 'profile', out } = call.options;
      return (await import('./agents-command.ts')).exportAgents(given(call), {
        agentId,
        form: as as 'profile' | 'markdown' | 'card' | 'catalog',
        file: out,
      });
    },
  },
];

/** The verbs under `bosun agents`. */
export const AGENTS_VERBS: VerbGroup = {
  name: 'agents',
  says: 'Find the agent for a task; show, check and convert profiles.',
  verbs: VERBS,
};
