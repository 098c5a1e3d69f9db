/** The topic of a window. */

/** The topic of a window for its parameters. Values that are no texts are written as JSON. */
export function windowTopic(procedure: string, params: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(
    given.map(([key, value]): [string, string] => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  return given.length === 0 ? `window/${procedure}` : `window/${procedure}?${query.toString()}`;
}
