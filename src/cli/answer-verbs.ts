/**
 * The verbs of the answer desk: desk, questions and answers. They are carried out by files that are loaded on demand.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { whom } from './administration-verbs.ts';
import type { AskCommand } from './questions-command.ts';
import { option, type Options, portNumber, repeated, urgency, type Verb, type VerbGroup, wholeNumber } from './verb.ts';

const BY = option('--by <name>', 'name of the person who says so (default: your user name)');

export const ANSWER_VERBS: readonly (Verb | VerbGroup)[] = [
  {
    usage: 'desk [folder]',
    says: 'Answer questions about a folder, and ask people the others.',
    isLocal: true,
    home: '.bosun at the root of the repository, as for bosun mcp',
    examples: ['desk', 'desk ~/shop --port 4200', 'desk config/agents/answer-team.yaml'],
    notes: [
      'The settings are in answer-team.yaml or config/agents/answer-team.yaml of the folder, or in the file named',
      'instead of a folder, which is about its repository. Each of their keys has an effect or is refused.',
    ],
    options: [
      option('--port <number>', 'port of the gateway (default: 4180); 0 for any free one', portNumber),
      option('--host <address>', 'address of the gateway (default: 127.0.0.1)'),
    ],
    async run({ data, options, surroundings, command }, folder: string | undefined) {
      const { serveCommand } = await import('./serve-command.ts');
      const { port, host, trustWallClock = false } = options;
      return serveCommand({
        ...data,
        data: command.getOptionValueSource('data') === 'default' ? undefined : data.data,
        ...{ folder: folder ?? '.', plan: undefined, config: undefined, port, host, trustWallClock },
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
    says: 'Search what people have said, and correct it.',
    examples: ['answers search "which currency"', 'answers correct Q-1 "80, the proxy is gone" --yes'],
    verbs: [
      {
        usage: 'search <text>',
        says: 'Search the answers of people.',
        examples: ['answers search "which currency do customers pay in"'],
        run: async ({ data }, text: string) =>
          (await import('./questions-command.ts')).searchAnswersCommand({ ...data, text }),
      },
      {
        usage: 'show <id>',
        says: 'Show an answer, its sources, who uses it, and what was said before.',
        examples: ['answers show Q-1 --json'],
        run: async ({ data }, id: string) =>
          (await import('./questions-command.ts')).showQuestionCommand({ ...data, id }),
      },
      {
        usage: 'correct <id> <text>',
        says: 'Replace an answer; everybody who uses it is told. Without --yes: show who would be.',
        examples: ['answers correct Q-1 "80, the proxy is gone" --by ada --yes'],
        options: [BY, option('--reason <text>', 'reason, for those who are told'), option('--yes', 'do it')],
        run: async ({ data, options }, id: string, text: string) => {
          const { by, reason } = whom(options);
          const { correctAnswerCommand } = await import('./questions-command.ts');
          return correctAnswerCommand({ ...data, id, text, by, reason, isSure: options.yes === true });
        },
      },
    ],
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

function seconds(text: string): number {
  const value = wholeNumber(text);
  if (value > 45) throw new InvalidArgumentError('Not a wait: 0 to 45 seconds.');
  return value;
}
