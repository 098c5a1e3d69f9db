/** `bosun desk` for a folder with two facts, the questions of a coding agent, and a served registry of agents. */
import { mkdirSync } from 'node:fs';
import { Served } from './served.ts';

/** Serves an answer desk for a folder. */
export async function servedAnswers(): Promise<Served> {
  const served = new Served(['shop'], {}, 'desk');
  mkdirSync(served.work.file('shop/docs'), { recursive: true });
  served.work.write('shop/package.json', '{\n  "name": "shop",\n  "dependencies": {\n    "zod": "^4.0.0"\n  }\n}\n');
  served.work.write('shop/docs/limits.md', '# Limits\n\nThe minimum length of a password is 12 characters.\n');
  return served.start();
}

/** Serves the 22 agents of the package, and one of a file. */
export async function servedAgents(): Promise<Served> {
  const served = new Served([]);
  served.work.write(
    'own.json',
    JSON.stringify({
      agentId: 'release-manager',
      description: 'Cuts releases: versions, notes, tags, and the announcement.',
      role: 'Release Manager',
      capabilities: ['releases'],
      selectionMetadata: {
        exampleTasks: ['Cut a release candidate', 'Tag version 2.1 and publish the notes'],
        notForTasks: ['Fix this bug', 'Write unit tests'],
        agentCategory: 'implementer',
      },
    }),
  );
  served.work.write('bosun.config.json', '{ "roster": ["package", "own.json"] }');
  return served.start();
}

/** A question about the folder, which has the answer. */
export const LENGTH = {
  question: 'Is the minimum length of a password 8 or 12?',
  possible_options: ['8', '12'],
  current_task_id: 'TASK-7',
};

/** A question that only a person can answer. */
export const CURRENCY = {
  question: 'Which currency do customers pay in?',
  possible_options: ['Euro', 'Franc'],
  current_task_id: 'TASK-9',
};

interface Said {
  readonly status: string;
  readonly answer: string | null;
  readonly changed_answers: readonly { readonly answer: string | null }[];
}

/** Asks the answer desk as one of its users, and waits for an answer for at most two seconds. */
export async function asks({ url }: Served, asker: string, bundle: object, maxWaitMs = 2_000): Promise<Said> {
  const event = { type: 'answers.ask', asker, bundle, maxWaitMs };
  const response = await fetch(`${url}/v1/actors/answers/ask`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ event }),
  });
  if (!response.ok) throw new Error(`${asker}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { readonly reply: Said }).reply;
}
