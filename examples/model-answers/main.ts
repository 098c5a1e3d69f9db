/**
 * Questions to an answer desk whose answers a language model formulates. The model is that of the environment, or with
 * `--stand-in` a stand-in on this machine, which then shows the request that it was sent.
 */
import { createSystem, memoryStore, type System } from 'bosun';
import { answerCrew, type AnswerPorts } from 'bosun/crew';
import { retrieve } from './knowledge.ts';
import { formulateWith, modelAt, type ModelPlace } from './model.ts';
import { ProviderStandIn, type Reply } from './provider-stand-in.ts';
import { type ChatRequest } from './chat-request.ts';

const QUESTIONS = ['How long are backups kept, and why?', 'Which currency do customers pay in?'];

const VARIABLES = { url: 'BOSUN_MODEL_URL', key: 'BOSUN_MODEL_KEY', name: 'BOSUN_MODEL' } as const;

/** The reply of the answer desk, as far as it is shown. */
interface Said {
  readonly answer: string | null;
  readonly confidence: number;
  readonly ticket_id: string | null;
  readonly sources: readonly { readonly location: string }[];
}

function say(who: string, what: string): void {
  console.log(`${who.padEnd(9)}${what}`);
}

/** The place of the model that the environment names, or the names of the variables that are not set. */
function placeIn(env: NodeJS.ProcessEnv): ModelPlace | readonly string[] {
  const missing = Object.values(VARIABLES).filter((name) => (env[name] ?? '') === '');
  const { url, key, name } = VARIABLES;
  return missing.length > 0 ? missing : { url: env[url]!, key: env[key]!, name: env[name]! };
}

/** Asks a desk with these ports all questions. */
async function askAll(who: string, ports: Partial<AnswerPorts>): Promise<void> {
  const system = createSystem({ ...answerCrew({ ports }), store: memoryStore(), durability: 'memory' });
  await system.start();
  try {
    for (const question of QUESTIONS) {
      const event = { type: 'answers.ask', asker: 'coder', bundle: { question } };
      const said = await system.ask<Said>('answers', event, { timeoutMs: 50_000 });
      const { answer, confidence, ticket_id, sources } = said;
      const cited = sources.map(({ location }) => location).join(', ');
      say('asked', question);
      say(who, answer === null ? await ticketIn(system, ticket_id!) : `${answer} [${cited}, ${confidence} %]`);
    }
  } finally {
    await system.stop();
  }
}

/** A ticket in a line, with the reason why a person is asked: the last line of its description. */
async function ticketIn(system: System, id: string): Promise<string> {
  const snapshot = await system.snapshot(`open-tickets/${id}`);
  const { question } = snapshot!.context as { readonly question: { readonly description: string } };
  return `${id} asks a person: ${question.description.split('\n').at(-1)}`;
}

/** Repeats the first source, which is no model's work. */
function repeat({ messages }: ChatRequest): Reply {
  const { sources } = JSON.parse(messages.at(-1)!.content) as { sources: readonly { text: string }[] };
  const draft = { answer: sources[0]!.text, confidence: 80, citations: [1], suggested_next_actions: null };
  return { content: JSON.stringify(draft) };
}

async function withStandIn(): Promise<void> {
  const standIn = await ProviderStandIn.start({ key: 'no-secret', model: 'repeater', complete: repeat });
  try {
    say('model', 'a stand-in, which repeats the first source that it is sent');
    await askAll('drafted', {
      retrieve,
      formulate: formulateWith(modelAt({ url: standIn.url, key: 'no-secret', name: 'repeater' })),
    });
    for (const { messages } of standIn.requests)
      for (const { role, content } of messages) say('sent', `as ${role}:\n${content}`);
  } finally {
    await standIn.stop();
  }
}

const place = placeIn(process.env);
if (process.argv.includes('--stand-in')) {
  await askAll('quoted', { retrieve });
  await withStandIn();
} else if ('url' in place) {
  await askAll('quoted', { retrieve });
  say('model', `${place.name} at ${place.url}`);
  await askAll('drafted', { retrieve, formulate: formulateWith(modelAt(place)) });
} else {
  console.error(`Not set: ${place.join(', ')}. Set all three, or add --stand-in to see it without a model.`);
  process.exitCode = 1;
}
