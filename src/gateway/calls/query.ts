/** Parameters of a call in the query of a URL or of a topic. */
import { type z } from 'zod';
import { checkedByHost } from './host-code.ts';

/** Parameters of a query: texts where the schema takes the text, otherwise the numbers and truth values in them. */
export function paramsIn(params: z.ZodObject, query: URLSearchParams): Record<string, unknown> {
  return Object.fromEntries(
    [...query].map(([key, text]) => [
      key,
      Object.hasOwn(params.shape, key) && checkedByHost(`the schema of ${key}`, params.shape[key]!, text).success
        ? text
        : meant(text),
    ]),
  );
}

function meant(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
}
