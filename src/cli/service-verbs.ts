/**
 * The verbs of a system that stays, as the command line knows them: serve, ps, send, ask, tail. Each is carried out by
 * a file that is loaded when it is called for.
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { Verbs } from './administration-verbs.ts';

export interface ServiceVerbs extends Verbs {
  readonly interruption: () => AbortSignal;
}

interface Options {
  readonly data: string;
  readonly json?: true;
  readonly config?: string;
  readonly port?: number;
  readonly host?: string;
  readonly agent?: string;
  readonly status?: string;
  readonly wait?: true;
  readonly timeout?: number;
  readonly from?: string;
  readonly trace?: string;
  readonly trustWallClock?: true;
}

/** What the flag of `run` and `serve` says. */
export const TRUST_WALL_CLOCK =
  'believe the clock at this start, where it was refused (BOSUN_CLOCK_SUSPECT) or is behind';

export function addService(bosun: Command, verbs: ServiceVerbs): void {
  addServe(bosun, verbs);
  addPs(bosun, verbs);
  addSend(bosun, verbs);
  addAsk(bosun, verbs);
  addTail(bosun, verbs);
}

function addServe(bosun: Command, { verb, exit, dataCommand, interruption }: ServiceVerbs): void {
  verb(bosun, 'serve [plan]', 'Run a system and its gateway until it is told to end.', [
    'serve plan.yaml',
    'serve --config bosun.config.ts --data /var/lib/shop --port 8080',
  ])
    .option('--config <file>', 'what to serve (default: bosun.config.ts, .mts, .mjs, .js, .yaml, .yml or .json)')
    .option('--port <number>', 'where the gateway listens (default: 4180); 0 takes a free one', portNumber)
    .option(
      '--host <address>',
      'the address that the gateway listens on (default: 127.0.0.1); another one needs tokens in the config',
    )
    .option('--trust-wall-clock', TRUST_WALL_CLOCK)
    .action(async (plan: string | undefined, options: Options, self: Command) => {
      const { serveCommand } = await import('./serve-command.ts');
      const isNamed = self.getOptionValueSource('data') !== 'default';
      const { config, port, host } = options;
      exit(
        await serveCommand({
          ...dataCommand(options),
          data: isNamed ? options.data : undefined,
          plan,
          config,
          port,
          host,
          trustWallClock: options.trustWallClock === true,
          interrupt: interruption(),
        }),
      );
    });
}

function addPs(bosun: Command, { verb, exit, dataCommand }: ServiceVerbs): void {
  verb(bosun, 'ps', 'List the actors of a running system or a stopped store.', [
    'ps',
    'ps --agent order --status suspended --json',
  ])
    .option('--agent <name>', 'only actors of this agent')
    .option('--status <status>', 'only active, done, error, stopped or suspended ones', statusName)
    .action(async (options: Options) => {
      const { psCommand } = await import('./ps-command.ts');
      exit(await psCommand({ ...dataCommand(options), agent: options.agent, status: options.status }));
    });
}

function addSend(bosun: Command, { verb, exit, dataCommand }: ServiceVerbs): void {
  const examples = ['send visits add \'{"by": 1}\' --wait', 'send coordinator plan.pause \'{"item": "AAPL"}\''];
  verb(
    bosun,
    'send <address> <type> [json]',
    'Send an event to an actor; with the other fields of the event as JSON.',
    examples,
  )
    .option('--wait', 'until the actor has taken it; fails where its state does nothing with it')
    .action(async (address: string, type: string, fields: string | undefined, options: Options) => {
      const { sendCommand } = await import('./send-command.ts');
      exit(await sendCommand({ ...dataCommand(options), address, type, fields, wait: options.wait === true }));
    });
}

function addAsk(bosun: Command, { verb, exit, dataCommand }: ServiceVerbs): void {
  verb(bosun, 'ask <address> <type> [json]', 'Send an event to an actor of a running system and print its reply.', [
    'ask visits count',
    'ask till total \'{"day": "2026-01-02"}\' --timeout 5000 --json',
  ])
    .option('--timeout <ms>', 'how long to wait for the reply (default: 30000)', milliseconds)
    .action(async (address: string, type: string, fields: string | undefined, options: Options) => {
      const { askCommand } = await import('./send-command.ts');
      exit(await askCommand({ ...dataCommand(options), address, type, fields, timeoutMs: options.timeout }));
    });
}

function addTail(bosun: Command, { verb, exit, dataCommand, interruption }: ServiceVerbs): void {
  verb(
    bosun,
    'tail [pattern]',
    'Print the events that actors of a running system emit, as they come, or their turns.',
    ["tail 'stages/**' --json", 'tail --trace stages/AAPL'],
  )
    .option('--trace <address>', 'the turns of this actor and of all below it, in place of events')
    .option('--from <cursor>', 'go on where an earlier tail left off: `cursor` of its --json')
    .action(async (pattern: string | undefined, options: Options, self: Command) => {
      const { tailCommand } = await import('./tail-command.ts');
      if (pattern !== undefined && options.trace !== undefined)
        self.error('name a pattern of addresses or --trace, not both');
      const topic = options.trace === undefined ? `events/${pattern ?? '**'}` : `trace/${options.trace}`;
      exit(await tailCommand({ ...dataCommand(options), topic, from: options.from, interrupt: interruption() }));
    });
}

export function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('Not a port: a whole number from 0 to 65535.');
  return Number(text);
}

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
