/** Ages and countdowns, in coarse steps. */
import { duration } from '../format.ts';
import { kernelMs } from '../time.ts';

const MINUTE_MS = 60_000;

export function Age({ sinceMs }: { readonly sinceMs: number }) {
  return <span class="number">{calm(kernelMs() - sinceMs)}</span>;
}

/**
 * Shows the remaining time.
 *
 * @param over The text when the time is up.
 */
export function Countdown({ untilMs, over = 'due now' }: { readonly untilMs: number; readonly over?: string }) {
  const left = untilMs - kernelMs();
  return (
    <span class={`number${left < 60 * MINUTE_MS ? ' warn' : ''}`} title={new Date(untilMs).toISOString()}>
      {left <= 0 ? over : `in ${calm(left)}`}
    </span>
  );
}

/** A duration with seconds only below ten minutes. */
function calm(ms: number): string {
  const step = ms < 10 * MINUTE_MS ? 1_000 : MINUTE_MS;
  return duration(Math.max(0, Math.floor(ms / step) * step));
}
