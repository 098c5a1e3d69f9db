/**
 * The coder: the question that it has about a task, and how the answer becomes code. It knows how code is written and
 * none of the values: those come from answers. A language model can stand in its place (model.ts).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The work of a coder in its worktree. */
export interface CodingTask {
  readonly title: string;
  /** The description, the criteria, and what tests have said. */
  readonly told: string;
  readonly files: readonly string[];
  /** The answer to its question; null if it had none. */
  readonly answer: string | null;
  /** The decision of a debate against it; null before. */
  readonly decided: string | null;
  readonly folder: string;
}

/** New texts by the path of their file. */
export type Written = Readonly<Record<string, string>>;

export type Coder = (task: CodingTask, signal: AbortSignal) => Promise<Written>;

/** A question of a coder, with the answers that it can build on. */
export interface CoderQuestion {
  readonly question: string;
  readonly options: readonly string[] | null;
  /** An answer as a person may give it, and as the stand-in does. */
  readonly example: string;
}

interface Skill {
  /** Whether the task is one of these, by its title. */
  readonly title: RegExp;
  readonly asks?: CoderQuestion;
  write(task: CodingTask): Written;
}

const HEAD = `import assert from 'node:assert/strict';
import test from 'node:test';`;

const vatByLine = (rate: number) => `/** The rate in percent. */
const RATE = ${rate};

/** The VAT on the lines of an order, in cents. */
export const vatOf = (lines) =>
  lines.reduce((sum, { price, count }) => sum + Math.round((price * count * RATE) / 100), 0);
`;

const vatOnOrder = (rate: number) => `import { goodsOf } from './goods.js';

/** The rate in percent. */
const RATE = ${rate};

/** The VAT on the lines of an order, in cents. */
export const vatOf = (lines) => Math.round((goodsOf(lines) * RATE) / 100);
`;

const vatTest = (rate: number) => `${HEAD}
import { vatOf } from '../src/vat.js';

test('VAT is the rate of the goods', () => {
  assert.equal(vatOf([{ price: 1000, count: 2 }, { price: 500, count: 2 }]), ${rate * 30});
});
`;

const shipping = (free: number, costs: number) => `const FREE_FROM = ${free};
const COSTS = ${costs};

/** The costs of shipping goods of this value, in cents. */
export const shippingOf = (goods) => (goods >= FREE_FROM ? 0 : COSTS);
`;

const shippingTest = (free: number, costs: number) => `${HEAD}
import { shippingOf } from '../src/shipping.js';

test('shipping of a large order is free', () => {
  assert.equal(shippingOf(${free}), 0);
  assert.equal(shippingOf(${free - 1}), ${costs});
});
`;

const ORDER = `import { goodsOf } from './goods.js';
import { shippingOf } from './shipping.js';
import { vatOf } from './vat.js';

/** The price of an order, in cents. */
export function totalOf({ lines, voucher = 0 }) {
  const goods = goodsOf(lines);
  return goods + vatOf(lines) + shippingOf(goods) - voucher;
}
`;

const ORDER_TEST = `${HEAD}
import { totalOf } from '../src/order.js';
import { shippingOf } from '../src/shipping.js';
import { vatOf } from '../src/vat.js';

test('an order is goods, VAT and shipping, less its voucher', () => {
  const lines = [{ price: 1000, count: 3 }];
  assert.equal(totalOf({ lines, voucher: 500 }), 3000 + vatOf(lines) + shippingOf(3000) - 500);
});
`;

const SKILLS: readonly Skill[] = [
  {
    title: /^VAT/,
    asks: {
      question: 'Is the VAT rate of an order 7 or 19 percent?',
      options: ['7 percent', '19 percent'],
      example: '7 percent',
    },
    write({ answer, decided }) {
      const rate = numberIn(answer);
      const vat = decided === null ? vatByLine : vatOnOrder;
      return { 'src/vat.js': vat(rate), 'test/vat.test.js': vatTest(rate) };
    },
  },
  {
    title: /^Shipping/,
    asks: {
      question: 'From which value of the goods on is shipping free?',
      options: null,
      example: '50 euro',
    },
    write({ answer, told }) {
      const [free, costs] = [cents(numberIn(answer)), cents(numberIn(told))] as const;
      return { 'src/shipping.js': shipping(free, costs), 'test/shipping.test.js': shippingTest(free, costs) };
    },
  },
  {
    title: /^Vouchers/,
    // It does not think of vouchers that are worth more than the order. A test of the shop does.
    write: () => ({ 'src/order.js': ORDER, 'test/voucher.test.js': ORDER_TEST }),
  },
  {
    title: /^Fix: .*never negative/,
    write: ({ folder }) => ({
      'src/order.js': read(folder, 'src/order.js').replace(/return (?!Math\.max)(.*);/, 'return Math.max(0, $1);'),
    }),
  },
];

/** The question that a coder has to have answered before it can begin; null if it has everything. */
export function questionAbout(title: string): CoderQuestion | null {
  return skillFor(title)?.asks ?? null;
}

/** The coder of this example, which needs no model. */
export const code: Coder = (task) => {
  const skill = skillFor(task.title);
  if (skill === undefined) throw new Error(`no coder here knows how to do "${task.title}"`);
  return Promise.resolve(skill.write(task));
};

/** The defence of a coder in a debate. It does not give in: the records of both decide. */
export function defended() {
  const statement = 'A receipt shows VAT beside each line, and its reader adds that up.';
  return Promise.resolve({ statement, evidence: [{ kind: 'convention', source: 'receipts of 1.0.0', strength: 0.5 }] });
}

function skillFor(title: string): Skill | undefined {
  return SKILLS.find((skill) => skill.title.test(title));
}

function numberIn(text: string | null): number {
  const [found] = /\d+(\.\d+)?/.exec(text ?? '') ?? [];
  if (found === undefined) throw new Error(`nobody can build on this answer: ${text}`);
  return Number(found);
}

const cents = (euro: number) => Math.round(euro * 100);

function read(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}
