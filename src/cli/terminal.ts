/**
 * Safe output to a terminal: all text of the command line passes through here. Texts of tasks, errors, states and
 * events may contain anything, so control characters in them are shown instead of executed; only the command line's own
 * control sequences take effect.
 */
import { randomBytes } from 'node:crypto';
import { plainText } from '../plain-text.ts';
import { type Output } from './surroundings.ts';

/** Stands for ESC in our own text. It is random for each process, so no foreign text can contain it. */
const OURS = `<${randomBytes(16).toString('hex')}>`;

const ESC = '\u001b';

/** A control sequence, given without its ESC. It takes effect when written to a {@link safe} output. */
export function control(sequence: string): string {
  return `${OURS}${sequence}`;
}

/**
 * Text in a colour.
 *
 * @param colour An SGR number.
 */
export function painted(text: string, colour: number): string {
  return `${control(`[${colour}m`)}${text}${control('[0m')}`;
}

export function safe(output: Output): Output {
  return {
    write: (text) => output.write(text.split(OURS).map(plainText).join(ESC)),
    get isTTY() {
      return output.isTTY === true;
    },
    get columns() {
      return output.columns;
    },
  };
}
