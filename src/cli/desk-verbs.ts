/**
 * The verbs of the crew's desks, as the command line knows them: pauses, batches, debates, gates, alerts. Each is
 * carried out by a file that is loaded when it is called for.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Verbs, whom } from './administration-verbs.ts';

interface Options {
  readonly data: string;
  readonly json?: true;
  readonly all?: true;
  readonly by?: string;
  readonly reason?: string;
  readonly until?: number;
  readonly concurrency?: number;
  readonly side?: 'challenger' | 'challenged';
}

export function addDesks(bosun: Command, verbs: Verbs): void {
  addPauses(bosun, verbs);
  addBatches(bosun, verbs);
  addDebates(bosun, verbs);
  addGates(bosun, verbs);
  addAlerts(bosun, verbs);
}

function addPauses(bosun: Command, { verb, exit, dataCommand }: Verbs): void {
  const pauses = group(bosun, 'pauses', 'Show and handle items that stand.');
  withAll(
    verb(pauses, 'list', 'Show what is paused, why and since when.', ['pauses list', 'pauses list --all --json']),
  ).action(async ({ all, ...options }: Options) => {
    const { listPauses } = await import('./pauses-command.ts');
    exit(await listPauses({ ...dataCommand(options), all: all === true }));
  });
  verb(pauses, 'show <item>', 'Show the pause of an item, with what runs again when it is resumed.', [
    'pauses show AAPL',
  ]).action(async (item: string, options: Options) => {
    const { showPause } = await import('./pauses-command.ts');
    exit(await showPause({ ...dataCommand(options), item }));
  });
  const said = {
    resume: 'Have an item go on.',
    extend: 'Let a pause last longer, once, and 30 days at most.',
    expire: 'End a pause, and give the item up.',
  };
  const examples = {
    resume: ['pauses resume AAPL'],
    extend: ['pauses extend AAPL --until 2026-02-01 --reason "waits for the filing"'],
    expire: ['pauses expire AAPL --reason "delisted"'],
  };
  for (const order of ['resume', 'extend', 'expire'] as const) {
    const command = byWhom(verb(pauses, `${order} <item>`, said[order], examples[order]));
    if (order === 'extend')
      command.addOption(
        new Option('--until <date>', 'when the extension is over').argParser(dateMs).makeOptionMandatory(),
      );
    command.action(async (item: string, options: Options) => {
      const { pauseOrder } = await import('./pauses-command.ts');
      exit(
        await pauseOrder({
          ...dataCommand(options),
          ...whom(options),
          order,
          item,
          ...(options.until !== undefined && { untilMs: options.until }),
        }),
      );
    });
  }
}

function addBatches(bosun: Command, { verb, exit, dataCommand }: Verbs): void {
  const batches = group(bosun, 'batches', 'Show and resume items that were paused together.');
  verb(batches, 'list', 'Show all batches.', ['batches list', 'batches list --json']).action(
    async (options: Options) => {
      const { listBatches } = await import('./batches-command.ts');
      exit(await listBatches(dataCommand(options)));
    },
  );
  verb(batches, 'show <id>', 'Show a batch and its items.', ['batches show batch-1']).action(
    async (id: string, options: Options) => {
      const { showBatch } = await import('./batches-command.ts');
      exit(await showBatch({ ...dataCommand(options), id }));
    },
  );
  byWhom(
    verb(batches, 'resume <id>', 'Have all items of a batch go on, some at a time.', [
      'batches resume batch-1',
      'batches resume batch-1 --concurrency 2',
    ]),
  )
    .option('--concurrency <count>', 'how many at a time (default: as it was)', count)
    .action(async (id: string, options: Options) => {
      const { resumeBatch } = await import('./batches-command.ts');
      exit(await resumeBatch({ ...dataCommand(options), ...whom(options), id, concurrency: options.concurrency }));
    });
}

function addDebates(bosun: Command, { verb, exit, dataCommand }: Verbs): void {
  const debates = group(bosun, 'debates', 'Show disputes between agents, and decide about them.');
  withAll(verb(debates, 'list', 'Show the debates under way.', ['debates list', 'debates list --all --json'])).action(
    async ({ all, ...options }: Options) => {
      const { listDebates } = await import('./debates-command.ts');
      exit(await listDebates({ ...dataCommand(options), all: all === true }));
    },
  );
  verb(debates, 'show <id>', 'Show a debate: its level, what was said, and how credible both are.', [
    'debates show margin',
    'debates show margin --json',
  ]).action(async (id: string, options: Options) => {
    const { showDebate } = await import('./debates-command.ts');
    exit(await showDebate({ ...dataCommand(options), id }));
  });
  const said = {
    confirm: 'Let the value stand that is gone on with.',
    override: 'Have another value hold; what used the old one runs again.',
    redebate: 'Have it debated again, with what is new.',
  };
  const examples = {
    confirm: ['debates confirm margin --by eve'],
    override: ['debates override margin --side challenged --by eve --reason "the filing is older"'],
    redebate: ['debates redebate margin --by eve --reason "a new filing is out"'],
  };
  for (const order of ['confirm', 'override', 'redebate'] as const) {
    const command = byWhom(verb(debates, `${order} <id>`, said[order], examples[order]));
    if (order === 'override')
      command.addOption(
        new Option('--side <side>', 'whose position is to hold (default: the one that does not)').choices([
          'challenger',
          'challenged',
        ]),
      );
    command.action(async (id: string, options: Options) => {
      const { debateOrder } = await import('./debates-command.ts');
      exit(await debateOrder({ ...dataCommand(options), ...whom(options), order, id, side: options.side }));
    });
  }
}

function addGates(bosun: Command, { verb, exit, dataCommand }: Verbs): void {
  const gates = group(bosun, 'gates', 'Show and answer questions to people.');
  withAll(verb(gates, 'list', 'Show what people are asked.', ['gates list', 'gates list --all --json'])).action(
    async ({ all, ...options }: Options) => {
      const { listGates } = await import('./gates-command.ts');
      exit(await listGates({ ...dataCommand(options), all: all === true }));
    },
  );
  verb(gates, 'show <id>', 'Show a question: what to decide by, and what an answer looks like.', [
    'gates show plan.G3.1',
  ]).action(async (id: string, options: Options) => {
    const { showGate } = await import('./gates-command.ts');
    exit(await showGate({ ...dataCommand(options), id }));
  });
  const examples = [
    'gates answer plan.G3.1 decision=approve',
    'gates answer plan.G3.1 decision=revise --by ada --reason "the rate is too low"',
  ];
  byWhom(verb(gates, 'answer <id> <fields...>', 'Answer a question, each field as key=value.', examples)).action(
    async (id: string, fields: string[], options: Options) => {
      const { answerGate } = await import('./gates-command.ts');
      exit(await answerGate({ ...dataCommand(options), ...whom(options), id, fields }));
    },
  );
}

function addAlerts(bosun: Command, { verb, exit, dataCommand }: Verbs): void {
  const alerts = group(bosun, 'alerts', 'Show and acknowledge what people have been told.');
  withAll(
    verb(alerts, 'list', 'Show the alerts that nobody has acknowledged.', ['alerts list', 'alerts list --all --json']),
  ).action(async ({ all, ...options }: Options) => {
    const { listAlerts } = await import('./alerts-command.ts');
    exit(await listAlerts({ ...dataCommand(options), all: all === true }));
  });
  verb(alerts, 'show <id>', 'Show an alert in full.', ['alerts show alert-3']).action(
    async (id: string, options: Options) => {
      const { showAlert } = await import('./alerts-command.ts');
      exit(await showAlert({ ...dataCommand(options), id }));
    },
  );
  byWhom(verb(alerts, 'ack <id>', 'Say that somebody looks after it.', ['alerts ack alert-3 --by ada'])).action(
    async (id: string, options: Options) => {
      const { acknowledgeAlert } = await import('./alerts-command.ts');
      exit(await acknowledgeAlert({ ...dataCommand(options), ...whom(options), id }));
    },
  );
}

function group(bosun: Command, name: string, description: string): Command {
  return bosun.command(name).description(description).exitOverride();
}

function withAll(command: Command): Command {
  return command.option('--all', 'also those that are over');
}

function byWhom(command: Command): Command {
  return command.option('--by <name>', 'who says so (default: your user name)').option('--reason <text>', 'why');
}

function count(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('Not a count from 1 to 999.');
  return Number(text);
}

function dateMs(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('Not a date, such as 2026-02-01 or 2026-02-01T12:00Z.');
  return ms;
}
