/** Lines of JSON, as verbs print them under `--json`. */

/** One line of `--json`: errors as name, code and message. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, part: unknown) {
    if (typeof part === 'bigint') return String(part);
    // An error's own `toJSON` is not part of this format.
    const given = this[key];
    return given instanceof Error
      ? { name: given.name, code: (given as { code?: unknown }).code, message: given.message }
      : part;
  })}\n`;
}
