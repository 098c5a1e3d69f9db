/** The work in the shop: for each unfinished file a question, and how its answer becomes code. */
import { type Shop } from './shop.ts';

export interface Job {
  readonly question: string;
  readonly options: readonly string[] | null;
  readonly file: string;
  /** Writes the file as the answer says. A provisional answer may still be replaced. */
  edit(shop: Shop, answer: string, isProvisional: boolean): void;
}

const ZOD = `import { z } from 'zod';
import { MINIMUM_PASSWORD_LENGTH } from './limits.js';

const input = z.object({ email: z.email(), password: z.string().min(MINIMUM_PASSWORD_LENGTH) });

/** Whether the input of POST /auth/register is valid. */
export const isRegistration = (value) => input.safeParse(value).success;
`;

const AJV = `import Ajv from 'ajv';
import { MINIMUM_PASSWORD_LENGTH } from './limits.js';

const properties = { email: { type: 'string' }, password: { type: 'string', minLength: MINIMUM_PASSWORD_LENGTH } };

/** Whether the input of POST /auth/register is valid. */
export const isRegistration = new Ajv().compile({ type: 'object', required: Object.keys(properties), properties });
`;

const CURRENCIES = { EUR: /\b(EUR|euros?)\b/i, CHF: /\b(CHF|francs?)\b/i, USD: /\b(USD|dollars?)\b/i };

export const JOBS = {
  library: {
    question: 'Zod or Ajv for POST /auth/register?',
    options: ['Zod', 'Ajv'],
    file: 'src/register.js',
    edit(shop, answer) {
      shop.write(this.file, firstIn(answer, /\b(Zod|Ajv)\b/i).toLowerCase() === 'zod' ? ZOD : AJV);
    },
  },
  status: {
    question: '400 or 422 for a validation error?',
    options: ['400', '422'],
    file: 'src/errors.js',
    edit(shop, answer) {
      const status = firstIn(answer, /\b4\d\d\b/);
      shop.write(this.file, shop.read(this.file).replace(/(VALIDATION_ERROR_STATUS =) \w+/, `$1 ${status}`));
    },
  },
  length: {
    question: 'Is the minimum password length 8 or 12?',
    options: ['8', '12'],
    file: 'src/limits.js',
    edit(shop, answer, isProvisional) {
      const length = firstIn(answer, /\b\d+\b/);
      shop.write(this.file, shop.read(this.file).replace(/(MINIMUM_PASSWORD_LENGTH =) \d+/, `$1 ${length}`));
      // The plan is other people's: it follows only what is settled.
      if (isProvisional) return;
      shop.write('plan.json', shop.read('plan.json').replace(/("minimumPasswordLength":) \d+/, `$1 ${length}`));
    },
  },
  currency: {
    question: 'Which currency do customers pay in?',
    options: null,
    file: 'src/currencies.js',
    edit(shop, answer) {
      const codes = Object.entries(CURRENCIES).flatMap(([code, words]) => (words.test(answer) ? [code] : []));
      shop.write(this.file, shop.read(this.file).replace(/\[.*\]/, JSON.stringify(codes)));
    },
  },
} as const satisfies Readonly<Record<string, Job>>;

function firstIn(answer: string, pattern: RegExp): string {
  const [found] = pattern.exec(answer) ?? [];
  if (found === undefined) throw new Error(`nobody can build on this answer: ${answer}`);
  return found;
}
