/** The random numbers of a system: those of the host's source, as long as it gives numbers. */
import { messageOf } from '../../errors.ts';
import { type Log } from '../../log.ts';
import { due } from '../../user-code.ts';
import { type Random } from '../model/ports.ts';

/**
 * Wraps the source of a host. Where it throws, or gives anything but a number in [0, 1), a number of `own` takes its
 * place, and the log says so once. Never throws.
 */
export function reliable(given: Random | undefined, { own, log }: { readonly own: Random; readonly log: Log }): Random {
  if (given === undefined) return own;
  let isReported = false;
  const next = (): number => {
    let why = 'random.next gives what is not a number from 0 to below 1';
    try {
      const drawn: unknown = due(given.next(), 'random.next');
      if (typeof drawn === 'number' && drawn >= 0 && drawn < 1) return drawn;
    } catch (error) {
      why = `random.next failed: ${messageOf(error)}`;
    }
    if (!isReported) log(`${why}; the runtime draws its own numbers instead`);
    isReported = true;
    return own.next();
  };
  return { next };
}
