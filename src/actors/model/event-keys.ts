/**
 * Rules that recognise misspelt event names: XState's types do not notice a misspelt key in `on`. Pure rules over
 * names; agent.ts applies them.
 */

/** Words shorter than this often differ by one letter on purpose: `stop` and `step`, `read` and `road`. */
const SLIP_LETTERS_MIN = 5;

/**
 * Whether `key` reads as a misspelt `meant`: it differs in case and separators only (`orderPlace`, `order.Place`), or
 * by one slip inside one word: two letters swapped, one missing, one too many, one wrong.
 *
 * Differences that are usually intended are not slips: digits (`tick1`, `tick2`), the first letter of a word (`lock`,
 * `block`), its end (`order.place`, `order.placed`) unless a letter is doubled there (`submitt`), and words of fewer
 * than five letters.
 */
export function isMisspelt(key: string, meant: string): boolean {
  if (key === meant) return false;
  if (folded(key) === folded(meant)) return true;
  const words = key.split(WORD);
  const others = meant.split(WORD);
  if (words.length !== others.length) return false;
  const different = words
    .map((word, index) => [word, others[index]!] as const)
    .filter(([word, other]) => word !== other);
  return different.length === 1 && isSlip(...different[0]!);
}

const WORD = /[^\p{L}\p{N}]+/u;

function folded(name: string): string {
  return name.toLowerCase().split(WORD).join('');
}

function isSlip(word: string, meant: string): boolean {
  if (Math.max(word.length, meant.length) < SLIP_LETTERS_MIN || Math.abs(word.length - meant.length) > 1) return false;
  const end = Math.min(word.length, meant.length);
  let from = 0;
  while (from < end && word[from] === meant[from]) from += 1;
  let tail = 0;
  while (tail < end - from && word.at(-1 - tail) === meant.at(-1 - tail)) tail += 1;
  const wrong = word.slice(from, word.length - tail);
  const right = meant.slice(from, meant.length - tail);
  if (!/^\p{L}*$/u.test(wrong + right)) return false;
  if (wrong.length === 2 && right.length === 2) return wrong[0] === right[1] && wrong[1] === right[0];
  if (wrong.length > 1 || right.length > 1) return false;
  const isDoubled = wrong.length === 1 && right.length === 0 && wrong === word[from - 1];
  return isDoubled || (from > 0 && tail > 0);
}
