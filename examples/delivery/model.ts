/**
 * A language model in the place of the coder, at any address that speaks the protocol of OpenAI. It is called once for
 * each change, and what it writes is bounded: whole files under `src/` and `test/`. The key is in no text of an error.
 */
import { BosunError } from 'bosun';
import { z } from 'zod';
import { modelAt, type ModelPlace, outputOf } from '../model-answers/model.ts';
import { type Coder, type Written } from './coder.ts';
import { dataFor, FILE_BYTES_MAX, FILES_MAX, RULES } from './coding-prompt.ts';

/** Milliseconds for which a change is waited for. Node waits five minutes for the head of a response, and no longer. */
const CHANGE_MS_MAX = 280_000;

/** Milliseconds for which the list of models is waited for. */
const LIST_MS_MAX = 10_000;

/** Most characters of an error's text, which people read in a line. */
const LINE_CHARS_MAX = 300;

/** A path of a change: names of letters, digits, dashes and dots, none of which begins with a dot. */
const PATH = /^(?:src|test)(?:\/[\w-][\w.-]*)+$/;

/** The form of the model's output. Not every provider takes bounds in a schema: they are checked here. */
const changeSchema = z.object({ files: z.array(z.object({ path: z.string(), text: z.string() })) });
type Change = z.output<typeof changeSchema>;

/** The list of models at an address. Names are shown on the terminal. */
const listSchema = z.object({ data: z.array(z.object({ id: z.string().regex(/^[^\p{C}]{1,200}$/u) })) });

/** Makes a coder of the model at a place. It rejects with an error of one line. */
export function modelCoder(place: ModelPlace, changeMs: number = CHANGE_MS_MAX): Coder {
  const model = modelAt(place);
  return async (task, signal) => {
    const deadline = AbortSignal.timeout(changeMs);
    const messages = { system: RULES, prompt: dataFor(task) };
    const either = AbortSignal.any([signal, deadline]);
    const call = { model, ...messages, schema: changeSchema, name: 'change', signal: either };
    const change = await outputOf(call).catch((error: unknown) => {
      if (deadline.aborted) throw new Error(`the model has written nothing within ${changeMs / 1_000} s`);
      throw new Error(lineOf(error, place.key));
    });
    return writtenIn(change);
  };
}

/**
 * The place of the model that the environment names. Throws BOSUN_CONFIG_INVALID if nothing answers there, if the key
 * is refused, or if there is no model.
 */
export async function placeIn(env: NodeJS.ProcessEnv): Promise<ModelPlace> {
  const { BOSUN_MODEL_URL: address = '', BOSUN_MODEL_KEY: key = '', BOSUN_MODEL: named = '' } = env;
  const url = urlIn(address);
  const listed = await listAt(url, key, named !== '');
  const name = named === '' ? listed[0] : named;
  if (name === undefined) throw invalid(`${url} lists no model: name one in BOSUN_MODEL`);
  return { url, key, name };
}

/** The address, without a slash at its end. One with more than an address may hold a secret, and is not repeated. */
function urlIn(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const isPlain = url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === '');
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  throw invalid(
    'BOSUN_MODEL_URL must be an address such as http://localhost:11434/v1; a key goes into BOSUN_MODEL_KEY',
  );
}

/** The names of the models at an address. Not every provider lists them: one that is named need not be listed. */
async function listAt(url: string, key: string, isNamed: boolean): Promise<readonly string[]> {
  const headers = key === '' ? {} : { Authorization: `Bearer ${key}` };
  try {
    const response = await fetch(`${url}/models`, { headers, signal: AbortSignal.timeout(LIST_MS_MAX) });
    const { status } = response;
    if (status === 401 || status === 403)
      throw invalid(`${url} answers ${status}: ${key === '' ? 'set BOSUN_MODEL_KEY' : 'BOSUN_MODEL_KEY is refused'}`);
    if (!response.ok && !isNamed) throw invalid(`${url}/models answers ${status}: does the address end in /v1?`);
    // A page in the place of a list is a list of nothing.
    const list: unknown = await response.json().catch(() => null);
    return (listSchema.safeParse(list).data?.data ?? []).map(({ id }) => id);
  } catch (error) {
    if (error instanceof BosunError) throw error;
    throw invalid(`no model answers at ${url}: ${lineOf((error as Error).cause ?? error, key)}`);
  }
}

/** The files of a change. Throws if it has too many, too large ones, or others than it may write. */
function writtenIn({ files }: Change): Written {
  if (files.length === 0) throw new Error("the model's change has no file");
  if (files.length > FILES_MAX) throw new Error(`the model's change has ${files.length} files: at most ${FILES_MAX}`);
  const written = new Map<string, string>();
  for (const { path, text } of files) {
    const name = JSON.stringify(path.slice(0, 100));
    if (!PATH.test(path)) throw new Error(`the model's change writes ${name}, which is not within src/ or test/`);
    if (written.has(path)) throw new Error(`the model's change writes ${name} twice`);
    if (Buffer.byteLength(text) > FILE_BYTES_MAX)
      throw new Error(`the model's change writes more than ${FILE_BYTES_MAX / 1_024} KB into ${name}`);
    written.set(path, text);
  }
  return Object.fromEntries(written);
}

/** An error in one line, without the key that a provider may repeat in it. */
function lineOf(error: unknown, key: string): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const safe = key === '' ? text : text.replaceAll(key, '***');
  return safe
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .slice(0, LINE_CHARS_MAX)
    .toWellFormed()
    .trim();
}

function invalid(message: string): BosunError {
  return new BosunError('BOSUN_CONFIG_INVALID', message);
}
