/** The verbs of a system that stays and of its actors: serve, ps, send, ask, tail, tree, inspect, conformance. */
import { InvalidArgumentError, Option } from 'commander';
import { option, portNumber, TRUST_WALL_CLOCK, type Verb } from './verb.ts';

export const SERVICE_VERBS: readonly Verb[] = [
  {
    usage: 'serve [plan]',
    says: 'Run a system and its gateway until it is told to end.',
    examples: ['serve plan.yaml', 'serve --config bosun.config.ts --data /var/lib/shop --port 8080'],
    options: [
      option('--config <file>', 'what to serve (default: bosun.config.ts, .mts, .mjs, .js, .yaml, .yml or .json)'),
      option('--port <number>', 'where the gateway listens (default: 4180); 0 takes a free one', portNumber),
      option(
        '--host <address>',
        'the address that the gateway listens on (default: 127.0.0.1); another one needs tokens in the config',
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
      (await import('./ps-command.ts')).psCommand({ ...data, agent, status }),
  },
  {
    usage: 'send <address> <type> [json]',
    says: 'Send an event to an actor; with the other fields of the event as JSON.',
    examples: ['send visits add \'{"by": 1}\' --wait', 'send coordinator plan.pause \'{"item": "AAPL"}\''],
    options: [option('--wait', 'until the actor has taken it; fails where its state does nothing with it')],
    run: async ({ data, options: { wait = false } }, address: string, type: string, fields: string | undefined) =>
      (await import('./send-command.ts')).sendCommand({ ...data, address, type, fields, wait }),
  },
  {
    usage: 'ask <address> <type> [json]',
    says: 'Send an event to an actor of a running system and print its reply.',
    examples: ['ask visits count', 'ask till total \'{"day": "2026-01-02"}\' --timeout 5000 --json'],
    options: [option('--timeout <ms>', 'how long to wait for the reply (default: 30000)', milliseconds)],
    run: async ({ data, options: { timeout } }, address: string, type: string, fields: string | undefined) =>
      (await import('./send-command.ts')).askCommand({ ...data, address, type, fields, timeoutMs: timeout }),
  },
  {
    usage: 'tail [pattern]',
    says: 'Print the events that actors of a running system emit, as they come, or their turns.',
    examples: ["tail 'stages/**' --json", 'tail --trace stages/AAPL'],
    options: [
      option('--trace <address>', 'the turns of this actor and of all below it, in place of events'),
      option('--from <cursor>', 'go on where an earlier tail left off: `cursor` of its --json'),
    ],
    async run({ data, options: { trace, from }, surroundings, command }, pattern: string | undefined) {
      const { tailCommand } = await import('./tail-command.ts');
      if (pattern !== undefined && trace !== undefined)
        command.error('name a pattern of addresses or --trace, not both');
      const topic = trace === undefined ? `events/${pattern ?? '**'}` : `trace/${trace}`;
      return tailCommand({ ...data, topic, from, interrupt: surroundings.interruption() });
    },
  },
  {
    usage: 'tree',
    says: 'Show the supervision tree of a running system or a stopped data directory.',
    examples: ['tree', 'tree --data /var/lib/crew --json'],
    run: async ({ data }) => (await import('./tree-command.ts')).treeCommand(data),
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
      new Option('--format <format>', 'of what is written').choices(['svg', 'mermaid', 'json']).default('svg'),
      option('--out <file>', 'write to a file'),
      option('--plan <file>', 'a plan whose agents are looked at'),
      option('--agents <module>', 'a module that exports agents, where there is no plan'),
    ],
    async run({ data, options }, actor: string) {
      const { inspectCommand } = await import('./inspect-command.ts');
      const { out: file, plan, agents } = options;
      const format = data.json ? 'json' : options.format!; // it has a default
      return inspectCommand({ ...data, actor, format, file, plan, agents });
    },
  },
  {
    usage: 'conformance <url>',
    says: 'Check rule by rule whether a running server speaks the protocol of the gateway.',
    examples: ['conformance http://127.0.0.1:4180', 'conformance https://bosun.example --json'],
    options: [option('--token <token>', 'to be let in with (default: BOSUN_TOKEN of the environment)')],
    hasData: false,
    run: async ({ data, options: { token = data.env['BOSUN_TOKEN'] } }, url: string) =>
      (await import('./conformance-command.ts')).conformanceCommand({ ...data, url, token }),
  },
];

function milliseconds(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('Not a time: milliseconds, a whole number.');
  return Number(text);
}

function statusName(text: string): string {
  if (!['active', 'done', 'error', 'stopped', 'suspended'].includes(text))
    throw new InvalidArgumentError('Not a status: active, done, error, stopped or suspended.');
  return text;
}
