/** Texts of hubs cut to what people read at a glance, which say that they are cut. Pure. */
import { TEXT_CHARS_MAX } from '../work/message-schema.ts';

/** The beginning of a text, with an ellipsis where it is cut: as much as a message may carry, unless told. */
export function clipped(text: string, charsMax = TEXT_CHARS_MAX): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1).trimEnd()}…`.toWellFormed() : text;
}

/** The first names of a list, and how many more there are: `a, b, c and 2 more`. */
export function firstOf(names: readonly string[], most = 3): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
