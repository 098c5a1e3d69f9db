/** The verbs of a running system and of its actors: serve, ps, send, ask, tail, runs, records, tree and so on. */
import { InvalidArgumentError, Option } from 'commander';
import { TOOL_PROFILES, type ToolProfile } from '../../actors/api/procedure.ts';
import { type Ending } from '../../actors/model/results.ts';
import { systemClock } from '../../clock.ts';
import { sinceMs } from '../times.ts';
import {
  option,
  type Options,
  portNumber,
  REMOTE_OPTIONS,
  remoteOf,
  TRUST_WALL_CLOCK,
  type Verb,
  type VerbCall,
  wholeNumber,
} from '../verb.ts';

export const SERVICE_VERBS: readonly Verb[] = [
  {
    usage: 'serve [plan]',
    says: 'Run a system and its gateway until it is stopped.',
    isLocal: true,
    examples: ['serve plan.yaml', 'serve --config bosun.config.ts --data /var/lib/shop --port 8080'],
    options: [
      option('--config <file>', 'what to serve (default: bosun.config.ts, .mts, .mjs, .js, .yaml, .yml or .json)'),
      option('--port <number>', 'port of the gateway (default: 4180); 0 for any free one', portNumber),
      option(
        '--host <address>',
        'address of the gateway (default: 127.0.0.1); any other one needs tokens in the config',
      ),
      TRUST_WALL_CLOCK,
    ],
    async run({ data, options, surroundings, command }, plan: string | undefined) {
      const { serveCommand } = await import('./serve-command.ts');
      const { config, port, host, trustWallClock = false } = options;
      return serveCommand({
        ...data,
        data: command.getOptionValueSource('data') === 'default' ? undefined : data.data,
        plan,
        config,
        port,
        host,
        trustWallClock,
        interrupt: surroundings.interruption(),
        onUnawaited: surroundings.onUnawaited,
      });
    },
  },
  {
    usage: 'mcp',
    says: 'Serve MCP on stdin and stdout, so that a coding agent reaches the system of its folder.',
    isText: true,
    home: '.bosun at the root of the repository',
    examples: [
      'mcp --profile runtime,coder --as reviewer',
      'mcp --url https://bosun.example --token TOKEN',
      'mcp --as-operator    # may answer questions to people, and administer',
    ],
    notes: [
      'Claude Code:  claude mcp add bosun -- npx bosun mcp',
      'Codex:        codex mcp add bosun -- npx bosun mcp',
      'Cursor:       .cursor/mcp.json: {"mcpServers": {"bosun": {"command": "npx", "args": ["bosun", "mcp"]}}}',
    ],
    options: [
      option('--profile <names>', 'sets of tools: runtime, coder, hub (default: the 12 most useful)', toolProfiles),
      option('--as <name>', 'name of the agent, which calls as mcp:NAME (default: agent)', agentName),
      option('--as-operator', 'call as the operator, who may answer for people and administer'),
    ],
    async run({ data, options, surroundings, command }) {
      const { mcpCommand } = await import('./mcp-command.ts');
      const { profile, as = 'agent', asOperator = false } = options;
      return mcpCommand({
        ...data,
        data: command.getOptionValueSource('data') === 'default' ? undefined : data.data,
        profiles: profile,
        as,
        isOperator: asOperator,
        streams: surroundings.protocol?.(),
        interrupt: surroundings.interruption(),
        onUnawaited: surroundings.onUnawaited,
      });
    },
  },
  {
    usage: 'ps',
    says: 'List the actors of a running system or a stopped store.',
    examples: ['ps', 'ps --agent order --status suspended --json'],
    options: [
      option('--agent <name>', 'only actors of this agent'),
      option('--status <status>', 'only active, done, error, stopped or suspended ones', statusName),
    ],
    run: async ({ data, options: { agent, status } }) =>
      (await import('../system/ps-command.ts')).psCommand({ ...data, agent, status }),
  },
  {
    usage: 'send <address> <type> [json]',
    says: 'Send an event to an actor, with its fields as JSON.',
    examples: ['send visits add \'{"by": 1}\' --wait', 'send coordinator plan.pause \'{"item": "AAPL"}\''],
    options: [option('--wait', 'wait until the actor has taken it; fail if its current state does not')],
    run: async ({ data, options: { wait = false } }, address: string, type: string, fields: string | undefined) =>
      (await import('../system/send-command.ts')).sendCommand({ ...data, address, type, fields, wait }),
  },
  {
    usage: 'ask <address> <type> [json]',
    says: 'Send an event to an actor of a running system and print its reply.',
    examples: ['ask visits count', 'ask till total \'{"day": "2026-01-02"}\' --timeout 5000 --json'],
    options: [option('--timeout <ms>', 'longest wait for the reply (default: 30000)', milliseconds)],
    run: async ({ data, options: { timeout } }, address: string, type: string, fields: string | undefined) =>
      (await import('../system/send-command.ts')).askCommand({ ...data, address, type, fields, timeoutMs: timeout }),
  },
  {
    usage: 'call [method] [params...]',
    isHidden: true,
    says: 'Call a method or procedure of a running system, or list all of them with their parameters.',
    examples: ['call', 'call actor.get address=visits', 'call shop.order \'{"sku": "A-7", "pieces": 2}\' --json'],
    notes: ['Parameters are fields as key=value, whose values are JSON or else text, or one JSON object.'],
    options: [option('--timeout <ms>', 'longest wait for the answer (default: 30000)', milliseconds)],
    run: async ({ data, options: { timeout } }, method: string | undefined, params: readonly string[]) =>
      (await import('../system/call-command.ts')).callCommand({ ...data, method, params, timeoutMs: timeout }),
  },
  {
    usage: 'post <file>',
    // Help lists at most 25 verbs; this one is for programs, whose authors find it in docs/coordination.md.
    isHidden: true,
    says: 'Send envelopes (PAUSE_REQUEST ...) from a JSON file to the crew, each exactly once.',
    examples: ['post pause.json', 'post messages.json --json'],
    run: async ({ data }, file: string) => (await import('../system/post-command.ts')).postCommand({ ...data, file }),
  },
  {
    usage: 'tail [pattern]',
    says: 'Print the events that actors of a running system emit, or their turns, as they come.',
    examples: ["tail 'stages/**' --json", 'tail --trace stages/AAPL'],
    options: [
      option('--trace <address>', 'print the turns of this actor and its descendants, not events'),
      option('--from <cursor>', 'continue where an earlier tail ended: `cursor` of its --json'),
    ],
    async run({ data, options: { trace, from }, surroundings, command }, pattern: string | undefined) {
      const { tailCommand } = await import('../system/tail-command.ts');
      if (pattern !== undefined && trace !== undefined)
        command.error('name a pattern of addresses or --trace, not both');
      const topic = trace === undefined ? `events/${pattern ?? '**'}` : `trace/${trace}`;
      return tailCommand({ ...data, topic, from, interrupt: surroundings.interruption() });
    },
  },
  {
    usage: 'runs',
    isHidden: true,
    says: 'List actors of a running system or a stopped store that have ended, the newest end first.',
    examples: ['runs --agent order --since 2h', 'runs --failed --last 20 --json'],
    options: [
      option('--agent <name>', 'only actors of this agent'),
      new Option('--status <status>', 'only those that ended like this').choices([
        ...(['done', 'failed', 'gaveUp', 'stopped'] satisfies Ending[]),
      ]),
      option('--failed', 'only those that failed, or made their Boss give up'),
      option('--since <time>', 'only ends at this time or later: 2h, 7d, 2026-02-01T12:00Z', (text) =>
        sinceMs(text, systemClock.wallMs()),
      ),
      option('--last <count>', 'number of actors to list (default: 100)', wholeNumber),
      option('--open', 'actors that have not ended, by address, instead'),
    ],
    run: async (call) => runsVerb(call),
  },
  {
    usage: 'show <address>',
    isHidden: true,
    says: 'Show what became of an actor of a running system or a stopped store.',
    examples: ['show orders/o-17', 'show orders/o-17 --wait --json'],
    options: [option('--wait', 'wait for the end of an actor that has not ended')],
    run: async ({ data, options: { wait }, surroundings }, address: string) =>
      (await import('../system/show-command.ts')).showCommand({
        ...data,
        address,
        wait: wait === true ? surroundings.interruption() : undefined,
      }),
  },
  {
    usage: 'records <address> [name]',
    isHidden: true,
    says: 'Print what an actor of a running system or a stopped store has recorded, oldest first.',
    examples: [
      'records orders/o-17 decisions --where what=shipped --follow',
      'records --agent order decisions --key customer=c-9 --last 20 --json',
    ],
    options: [
      option('--last <count>', 'number of the newest to print (default: 100, or all behind --after)', wholeNumber),
      option('--after <number>', 'only records with a higher number', wholeNumber),
      new Option('--where <field=value>', 'only values with this field; a value that is not JSON is text').argParser(
        (text, before: Options['where']) => ({ ...before, ...Object.fromEntries([fieldOf(text)]) }),
      ),
      option('--follow', 'also print new records, until interrupted'),
      option('--agent <name>', 'records of all actors of this agent, by --key; then give only the name'),
      new Option('--key <key=value>', 'a key that the agent declares, and its value').argParser(fieldOf),
    ],
    run: async (call, first: string, second: string | undefined) => recordsVerb(call, first, second),
  },
  {
    usage: 'tree',
    says: 'Show the supervision tree of a running system or a stopped data directory.',
    examples: ['tree', 'tree --data /var/lib/crew --json'],
    run: async ({ data }) => (await import('../system/tree-command.ts')).treeCommand(data),
  },
  {
    usage: 'inspect <actor>',
    says: 'Draw the statechart of an actor of a running system or a stopped data directory, or of an agent.',
    examples: [
      'inspect coordinator > coordinator.svg',
      'inspect order --agents ./agents.ts --format mermaid',
      'inspect stages/AAPL-valuation/agent --plan plan.yaml --out stage.svg',
    ],
    options: [
      new Option('--format <format>', 'format of the output').choices(['svg', 'mermaid', 'json']).default('svg'),
      option('--out <file>', 'write to a file'),
      option('--plan <file>', 'plan whose agents are drawn'),
      option('--agents <module>', 'module that exports the agents, if there is no plan'),
    ],
    async run({ data, options }, actor: string) {
      const { inspectCommand } = await import('../system/inspect-command.ts');
      const { out: file, plan, agents } = options;
      const format = data.json ? 'json' : options.format!; // The option has a default.
      return inspectCommand({ ...data, actor, format, file, plan, agents });
    },
  },
  {
    usage: 'conformance [url]',
    says: 'Check, rule by rule, whether a running server follows the protocol of the gateway.',
    examples: ['conformance http://127.0.0.1:4180', 'conformance --url https://bosun.example --token TOKEN --json'],
    options: REMOTE_OPTIONS,
    hasData: false,
    // Help lists at most 25 verbs; this one is for authors of servers, who find it in docs/protocol.md.
    isHidden: true,
    async run({ data, command }, url: string | undefined) {
      const remote = remoteOf(command, data.env, url);
      if (remote === undefined) return command.error('name the server: its URL, --url or BOSUN_URL');
      return (await import('../system/conformance-command.ts')).conformanceCommand({ ...data, ...remote });
    },
  },
];

async function runsVerb({ data, options, command }: VerbCall) {
  const { runsCommand, openRunsCommand } = await import('../system/runs-command.ts');
  const { agent, status, failed, since, last, open } = options;
  if (open === true) {
    if ((status ?? failed ?? since) !== undefined)
      return command.error('--status, --failed and --since are about ends: name them or --open, not both');
    return openRunsCommand({ ...data, agent, last });
  }
  if (failed === true && status !== undefined) return command.error('name --failed or a --status, not both');
  // The parser has checked the status.
  const statuses: readonly Ending[] =
    failed === true ? ['failed', 'gaveUp'] : status === undefined ? [] : [status as Ending];
  return runsCommand({ ...data, agent, statuses, sinceMs: since, last });
}

async function recordsVerb({ data, options, surroundings, command }: VerbCall, first: string, second?: string) {
  const { recordsCommand, findRecordsCommand } = await import('../system/records-command.ts');
  const { agent, key, last, after, where, follow } = options;
  if (agent === undefined) {
    if (second === undefined) return command.error('name an actor and the name of its records, or --agent and --key');
    if (key !== undefined) return command.error('--key needs --agent');
    return recordsCommand({
      ...data,
      address: first,
      name: second,
      last,
      after,
      where: where ?? {},
      follow: follow === true ? surroundings.interruption() : undefined,
    });
  }
  if (key === undefined) return command.error('--agent needs --key');
  const besides = second ?? after ?? where ?? follow;
  if (besides !== undefined) return command.error('with --agent, only a name, --key and --last are allowed');
  return findRecordsCommand({ ...data, agent, name: first, key, last });
}

/** Parses `field=value`: JSON if the value is a number, text in quotes, true, false or null; otherwise text. */
function fieldOf(text: string): [field: string, value: string | number | boolean | null] {
  const [, field, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (field === undefined || value === undefined) throw new InvalidArgumentError('Not of the form field=value.');
  try {
    const parsed: unknown = JSON.parse(value);
    return [
      field,
      typeof parsed === 'object' && parsed !== null ? value : (parsed as string | number | boolean | null),
    ];
  } catch {
    return [field, value];
  }
}

function milliseconds(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('Not a time: milliseconds, a whole number.');
  return Number(text);
}

function toolProfiles(text: string): readonly ToolProfile[] {
  const names = text.split(',').map((name) => TOOL_PROFILES.find((one) => one === name.trim()));
  if (names.includes(undefined)) throw new InvalidArgumentError(`Not a list of profiles: ${TOOL_PROFILES.join(', ')}.`);
  return names as ToolProfile[];
}

function agentName(text: string): string {
  if (!/^[A-Za-z0-9\-_.@+]{1,64}$/.test(text))
    throw new InvalidArgumentError('Not a name: 1 to 64 letters, digits and the signs - _ . @ +.');
  return text;
}

function statusName(text: string): string {
  if (!['active', 'done', 'error', 'stopped', 'suspended'].includes(text))
    throw new InvalidArgumentError('Not a status: active, done, error, stopped or suspended.');
  return text;
}
