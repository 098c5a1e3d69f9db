/**
 * The form of an answer (AT-023, AT-027, AT-032): fields that the settings leave out, and the length of the text. A
 * text that is too long keeps its first whole sentences or lines and says that it was cut. Pure.
 */
import { sliceByTokens } from 'tokenx';
import { type AnswerResponse, tokensIn } from './bundle.ts';
import { type AnswerProfile } from './profile.ts';

/** The tokens above which a brief answer is summarised (AT-027). */
export const BRIEF_TOKENS_MAX = 800;

/** The text that marks the end of a shortened answer (AT-032). */
export const TRUNCATED = 'Details truncated – escalate?';

/** The text of an answer, shortened to the limits of its depth. */
export function fittedText(text: string, profile: AnswerProfile): string {
  const { max_token_output, response_depth, response_format } = profile;
  const maxTokens = response_depth === 'brief' ? Math.min(BRIEF_TOKENS_MAX, max_token_output) : max_token_output;
  const maxChars = response_format.max_length_chars;
  if (tokensIn(text) <= maxTokens && text.length <= maxChars) return text;
  const ending = `\n${TRUNCATED}`;
  let room = maxTokens - tokensIn(ending);
  let kept = sliceByTokens(text, 0, room).slice(0, maxChars - ending.length);
  while (tokensIn(kept) + tokensIn(ending) > maxTokens) kept = sliceByTokens(kept, 0, --room);
  return `${wholePart(kept)}${ending}`.toWellFormed();
}

/** The answer without the fields that the settings leave out. Their values become 0 or empty. */
export function formatted(response: AnswerResponse, profile: AnswerProfile): AnswerResponse {
  const { include_confidence, include_sources, include_follow_up_needed } = profile.response_format;
  return {
    ...response,
    answer: fittedText(response.answer, profile),
    ...(!include_confidence && { confidence: 0 }),
    ...(!include_sources && { sources: [] }),
    ...(!include_follow_up_needed && { follow_up_needed: false }),
  };
}

/** The text up to its last whole line or sentence, if that leaves at least half of it. */
function wholePart(text: string): string {
  const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('. ') + 1, text.lastIndexOf('? ') + 1);
  return end * 2 >= text.length ? text.slice(0, end).trimEnd() : text.trimEnd();
}
