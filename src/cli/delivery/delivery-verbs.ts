/** The verbs of the delivery organisation: tasks and org. They are carried out by delivery-command.ts. */
import { type Option } from 'commander';
import { whom } from '../system/administration-verbs.ts';
import type * as Commands from './delivery-command.ts';
import { option, urgency, type Verb, type VerbGroup, wholeNumber } from '../verb.ts';

const BY = option('--by <name>', 'name of the person who says so (default: your user name)');
const STATUS = option('--status <status>', 'only tasks in this state');
const NOTE = option('--note <text>', 'what the next session should know');
const REASON = option('--reason <text>', 'reason, for the record').makeOptionMandatory();
const PRIORITY = option('--priority <number>', 'urgency: 1, 2 or 3', urgency);
const MINUTES = option('--minutes <number>', 'estimate in minutes', wholeNumber);
const TASK = option('--task <id>', 'only those of this task');
const LIMIT = option('--limit <count>', 'how many, at most 500 (default: 50)', wholeNumber);
const DRAINED = option('--drained', 'it gets nothing new').conflicts('resume');
const RESUME = option('--resume', 'it goes on with what was held for it');

type Said = [usage: string, says: string, examples: string, options?: readonly Option[]];

/** A verb that is carried out by a function of delivery-command.ts, with one example or several. */
function verb(does: keyof typeof Commands, ...[usage, says, examples, options = []]: Said): Verb {
  return {
    ...{ usage, says, options, examples: examples.split(' | ') },
    async run({ data, command, options: asked }, about: string) {
      const given = { ...command.opts<Commands.Given>(), ...whom(asked), verb: command.name() };
      return (await import('./delivery-command.ts'))[does](data, given, about);
    },
  };
}

const TASKS: readonly Verb[] = [
  verb('listTasks', 'list', 'List tasks, how each stands, and why.', 'tasks list | tasks list --json', [STATUS]),
  verb('showTask', 'show <id>', 'Show all that is known of a task.', 'tasks show TASK-001'),
  verb('addTasks', 'add <file>', 'Hand in a plan of tasks, JSON or YAML.', 'tasks add plan.json --by ada', [BY]),
  verb('orderTask', 'unblock <id>', 'Let a blocked task go on.', 'tasks unblock TASK-001 --note "use v2"', [NOTE, BY]),
  verb('orderTask', 'fail <id>', 'Give up a task, and its dependents.', 'tasks fail TASK-001 --reason x', [REASON, BY]),
  verb('changeTask', 'change <id>', 'Change a task.', 'tasks change TASK-001 --priority 1', [PRIORITY, MINUTES, BY]),
  verb('setPlaces', 'places <count>', 'Set how many coding sessions work at once.', 'tasks places 3', [BY]),
];

const ORG: readonly Verb[] = [
  verb('showOrg', 'show', 'Show the teams at work, and the gates between them.', 'org show | org show --json'),
  verb('showOrg', 'raci', 'Show who is responsible, accountable, consulted and informed.', 'org raci'),
  verb('listHandoffs', 'handoffs', 'List hand-offs, the latest first.', 'org handoffs --task TASK-001', [TASK, LIMIT]),
  verb('showMetrics', 'metrics', 'Show the figures of tasks and hand-offs so far.', 'org metrics'),
  verb('setTeam', 'set <team>', 'Drain a team, or let it go on.', 'org set coding-ai --drained', [DRAINED, RESUME, BY]),
];

const examples = ['tasks add plan.json', 'tasks list', 'org handoffs --task TASK-001'];

/** The verbs under `bosun tasks` and `bosun org`. */
export const DELIVERY_VERBS: readonly VerbGroup[] = [
  { name: 'tasks', says: 'Hand in plans for coding agents, and see how tasks stand.', examples, verbs: TASKS },
  { name: 'org', says: 'See who hands work to whom, by which gates.', examples, verbs: ORG },
];
