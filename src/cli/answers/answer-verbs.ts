/**
 * The verbs of the answer desk: desk, questions and answers. They are carried out by files that are loaded on demand.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { whom } from '../system/administration-verbs.ts';
import type { AskCommand } from './questions-command.ts';
import {
  option,
  type Options,
  portNumber,
  repeated,
  urgency,
  type Verb,
  type VerbCall,
  type VerbGroup,
  wholeNumber,
} from '../verb.ts';

const BY = option('--by <name>', 'name of the person who says so (default: your user name)');

/** The options of verbs under `bosun answers` alone. */
interface AnswersOptions {
  readonly scope?: string;
  readonly global?: true;
  readonly planOnly?: true;
  readonly right?: true;
  readonly wrong?: true;
  readonly satisfaction?: number;
  readonly format: 'markdown' | 'jsonl';
  readonly review?: true;
  readonly approve?: true;
  readonly refuse?: true;
}

const own = ({ command }: VerbCall) => command.opts<AnswersOptions>();

/** Requires exactly one of two flags, and says whether it is the first. */
function either(
  command: Command,
  first: 'right' | 'approve' | 'scope',
  second: 'wrong' | 'refuse' | 'global',
): boolean {
  const { [first]: one, [second]: other } = command.opts<AnswersOptions>();
  if ((one === undefined) === (other === undefined)) command.error(`say either --${first} or --${second}`);
  return one !== undefined;
}

/** The verbs under `bosun answers`. */
const ANSWERS: readonly Verb[] = [
  {
    usage: 'search <text>',
    says: 'Search the answers of people.',
    examples: ['answers search "which currency do customers pay in"'],
    run: async ({ data }, text: string) =>
      (await import('./answers-command.ts')).searchAnswersCommand({ ...data, text }),
  },
  {
    usage: 'show <id>',
    says: 'Show an answer, its sources, who uses it, and what was said before.',
    examples: ['answers show Q-1 --json'],
    run: async ({ data }, id: string) => (await import('./questions-command.ts')).showQuestionCommand({ ...data, id }),
  },
  {
    usage: 'correct <id> <text>',
    says: 'Replace an answer; everybody who uses it is told. Without --yes: show who would be.',
    examples: ['answers correct Q-1 "80, the proxy is gone" --by ada --yes'],
    options: [BY, option('--reason <text>', 'reason, for those who are told'), option('--yes', 'do it')],
    run: async ({ data, options }, id: string, text: string) => {
      const { by, reason } = whom(options);
      const { correctAnswerCommand } = await import('./answers-command.ts');
      return correctAnswerCommand({ ...data, id, text, by, reason, isSure: options.yes === true });
    },
  },
  {
    usage: 'pin <id>',
    says: 'Keep an answer for all who ask the same.',
    examples: ['answers pin Q-1 --by ada'],
    options: [BY],
    run: async ({ data, options }, id: string) =>
      (await import('./answers-command.ts')).pinAnswerCommand({ ...data, id, by: whom(options).by }),
  },
  {
    usage: 'scope <id>',
    says: 'Say for whom a kept answer holds.',
    examples: ['answers scope Q-1 --scope shop', 'answers scope Q-1 --global --plan-only'],
    options: [
      option('--scope <name>', 'part of the work, such as a repository or a package'),
      option('--global', 'all of it'),
      option('--plan-only', 'as long as the plan has its present version'),
      BY,
    ],
    async run(call, id: string) {
      const { scope, planOnly = false } = own(call);
      either(call.command, 'scope', 'global');
      const { scopeAnswerCommand } = await import('./answers-command.ts');
      return scopeAnswerCommand({ ...call.data, id, by: whom(call.options).by, scope: scope ?? null, planOnly });
    },
  },
  {
    usage: 'judge <id>',
    says: 'Say whether an answer proved right: later confidence is worth more.',
    examples: ['answers judge Q-1 --right', 'answers judge Q-1 --wrong --satisfaction 2'],
    options: [
      option('--right', 'it was right'),
      option('--wrong', 'it was wrong'),
      option('--satisfaction <number>', 'how useful it was, from 1 to 5', satisfaction),
    ],
    async run(call, id: string) {
      const wasRight = either(call.command, 'right', 'wrong');
      const { judgeAnswerCommand } = await import('./answers-command.ts');
      return judgeAnswerCommand({ ...call.data, id, wasRight, satisfaction: own(call).satisfaction });
    },
  },
  {
    usage: 'erase <id>',
    says: "Remove people's words from a question for good. Without --yes: show what would go.",
    examples: ['answers erase Q-1 --by ada --yes'],
    options: [BY, option('--yes', 'do it')],
    run: async ({ data, options }, id: string) =>
      (await import('./answers-command.ts')).eraseAnswerCommand({
        ...data,
        ...{ id, by: whom(options).by, isSure: options.yes === true },
      }),
  },
  {
    usage: 'export',
    says: 'Write all kept answers as a document.',
    examples: ['answers export > DECISIONS.md', 'answers export --format jsonl'],
    options: [
      new Option('--format <format>', 'form of the output; --json is jsonl')
        .choices(['markdown', 'jsonl'])
        .default('markdown'),
    ],
    run: async (call) =>
      (await import('./answers-command.ts')).exportAnswersCommand({ ...call.data, format: own(call).format }),
  },
  {
    usage: 'proposals',
    says: 'List proposals for changes of the settings, and what came of them.',
    examples: ['answers proposals', 'answers proposals --review'],
    options: [option('--review', 'look for patterns of the last day first')],
    run: async (call) =>
      (await import('./answers-command.ts')).listProposalsCommand({ ...call.data, review: own(call).review === true }),
  },
  {
    usage: 'decide <proposal>',
    says: 'Apply or refuse a proposal, or take back an applied one.',
    examples: ['answers decide UV-000000000001 --approve --by ada', 'answers decide UV-000000000001 --refuse'],
    options: [
      option('--approve', 'apply it'),
      option('--refuse', 'refuse it; take it back if it is applied'),
      option('--reason <text>', 'reason, needed where it touches the most urgent questions'),
      BY,
    ],
    async run(call, id: string) {
      const approve = either(call.command, 'approve', 'refuse');
      const { by, reason } = whom(call.options);
      return (await import('./answers-command.ts')).decideProposalCommand({ ...call.data, id, by, approve, reason });
    },
  },
];

export const ANSWER_VERBS: readonly (Verb | VerbGroup)[] = [
  {
    usage: 'desk [folder]',
    says: 'Answer questions about a folder, and ask people the others.',
    isLocal: true,
    home: '.bosun at the root of the repository, as for bosun mcp',
    examples: ['desk', 'desk ~/shop --port 4200', 'desk config/agents/answer-team.yaml', 'desk --test "npm test"'],
    notes: [
      'The settings are in answer-team.yaml or config/agents/answer-team.yaml of the folder, or in the file named',
      'instead of a folder, which is about its repository. Each of their keys has an effect or is refused.',
      'With --test, a finished task is checked by the tests of the folder; a criterion is met by the test of its name.',
    ],
    options: [
      option('--port <number>', 'port of the gateway (default: 4180); 0 for any free one', portNumber),
      option('--host <address>', 'address of the gateway (default: 127.0.0.1)'),
      option('--test <command>', 'shell command that runs the tests of the folder'),
    ],
    async run({ data, options, surroundings, command }, folder: string | undefined) {
      const { serveCommand } = await import('../serve/serve-command.ts');
      const { port, host, test, trustWallClock = false } = options;
      return serveCommand({
        ...data,
        data: command.getOptionValueSource('data') === 'default' ? undefined : data.data,
        ...{ folder: folder ?? '.', test, plan: undefined, config: undefined, port, host, trustWallClock },
        interrupt: surroundings.interruption(),
        onUnawaited: surroundings.onUnawaited,
      });
    },
  },
  {
    name: 'questions',
    says: 'Ask the answer desk, and see what became of questions.',
    examples: ['questions ask "Is the port 80 or 8080?" --option 80 --option 8080', 'questions list'],
    verbs: [
      {
        usage: 'ask <question>',
        says: 'Ask a question: the answer desk that runs, or the files of a folder.',
        examples: [
          'questions ask "Ajv or Yup?" --option Ajv --option Yup',
          'questions ask "How long are backups kept?" --in ~/shop --explain',
          'questions ask "Port 80 or 8080?" --option 80 --option 8080 --wait-seconds 9',
        ],
        notes: [
          'Without --in, and if no system has its store in ./data, this folder answers, and nothing is kept.',
          'Exit code 0: answered. 3: a person has to say or to confirm it. 5: the question is refused.',
        ],
        options: [
          option('--option <answer>', 'a possible answer; can be repeated', repeated),
          option('--in <folder>', 'answer from the files of this folder, without a desk'),
          option('--explain', 'show what the confidence is made of'),
          option('--task <id>', 'task that the question is about'),
          option('--priority <number>', 'urgency: 1, 2 or 3 (default: 2)', urgency),
          option('--confidence <percent>', 'how sure you are; the less, the sooner it is taken (default: 50)', percent),
          option('--wait-seconds <seconds>', 'longest wait, at most 45 (default: 25)', seconds),
        ],
        run: async ({ data, options, command }, question: string) =>
          (await import('./questions-command.ts')).askQuestionCommand({
            ...data,
            question,
            options: (command.getOptionValue('option') as readonly string[] | undefined) ?? [],
            folder: folderOf(command, options),
            explain: options.explain === true,
            task: options.task,
            priority: options.priority,
            confidence: options.confidence,
            waitSeconds: options.waitSeconds,
          }),
      },
      {
        usage: 'list',
        says: 'List questions that are not settled.',
        examples: ['questions list', 'questions list --all --json'],
        options: [option('--all', 'settled ones too')],
        run: async ({ data, options: { all = false } }) =>
          (await import('./questions-command.ts')).listQuestionsCommand({ ...data, all }),
      },
      {
        usage: 'show <id>',
        says: 'Show a question with its answer, its sources, and who uses it.',
        examples: ['questions show Q-1'],
        run: async ({ data }, id: string) =>
          (await import('./questions-command.ts')).showQuestionCommand({ ...data, id }),
      },
    ],
  },
  {
    name: 'answers',
    says: 'Search what people have said, correct it, and say for whom it holds.',
    examples: ['answers search "which currency"', 'answers correct Q-1 "80, the proxy is gone" --yes'],
    verbs: ANSWERS,
  },
];

/**
 * The folder that answers: that of `--in`, or the working directory if neither a directory nor a gateway is named.
 * Undefined if a desk has to answer.
 */
function folderOf(command: Command, { in: folder, url }: Options): AskCommand['folder'] {
  const isGiven = (name: string) => !['default', undefined].includes(command.getOptionValueSource(name));
  const forDesks = ['data', 'url', 'task', 'priority', 'confidence', 'waitSeconds'].filter(isGiven);
  if (folder === undefined)
    return forDesks.length === 0 && url === undefined ? { path: '.', isNamed: false } : undefined;
  const [wrong] = forDesks;
  if (wrong !== undefined)
    command.error(`--in answers without a desk: leave out --${wrong === 'waitSeconds' ? 'wait-seconds' : wrong}`);
  return { path: folder, isNamed: true };
}

function percent(text: string): number {
  const value = wholeNumber(text);
  if (value > 100) throw new InvalidArgumentError('Not a percentage: 0 to 100.');
  return value;
}

function satisfaction(text: string): number {
  if (!/^[1-5]$/.test(text)) throw new InvalidArgumentError('Not a satisfaction: 1 to 5.');
  return Number(text);
}

function seconds(text: string): number {
  const value = wholeNumber(text);
  if (value > 45) throw new InvalidArgumentError('Not a wait: 0 to 45 seconds.');
  return value;
}
