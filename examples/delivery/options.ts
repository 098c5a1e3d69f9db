/** The options of the example, from its arguments and the environment. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  readonly data: string;
  readonly port: number;
  readonly isFresh: boolean;
  readonly paceMs: number;
  readonly patienceMs: number;
}

const HELP = `Usage: npm start -- [options]

A crew delivers a change to a small shop: see examples/delivery/README.md.

  --data DIR          where its state is (default ./data)
  --port N            the port of the page (default 4180; 0: a free one)
  --patience SECONDS  how long a person is waited for, before a stand-in answers (default 20)
  --pace MS           how long each step takes at least (default 1000)
  --fresh             starts over
  --help              this text

BOSUN_MODEL_URL=http://localhost:11434/v1 has a language model write the code, at any address that speaks the
protocol of OpenAI. BOSUN_MODEL names the model (default: the first that the address lists), BOSUN_MODEL_KEY its key.
`;

const NAMES = { data: './data', port: '4180', patience: '20', pace: '1000' } as const;

/** Reads the options. Undefined after the help or an error, which has been printed then. */
export function optionsIn(args: readonly string[]): Options | undefined {
  try {
    const texts = Object.entries(NAMES).map(([name, text]) => [name, { type: 'string' as const, default: text }]);
    const flags = { fresh: { type: 'boolean' }, help: { type: 'boolean' } } as const;
    const options = { ...(Object.fromEntries(texts) as Record<keyof typeof NAMES, { type: 'string' }>), ...flags };
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return void process.stdout.write(HELP);
    return {
      data: resolve(values.data!),
      port: numberIn('port', values.port!, 65_535),
      isFresh: values.fresh === true,
      paceMs: numberIn('pace', values.pace!, 60_000),
      patienceMs: 1_000 * numberIn('patience', values.patience!, 86_400),
    };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    process.exitCode = 2;
    return undefined;
  }
}

function numberIn(name: string, text: string, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= max) return number;
  throw new Error(`--${name} must be a whole number from 0 to ${max}, not "${text}"`);
}
