/** The state of the connection in words, always visible, and a banner while the page is not live. */
import { duration } from './format.ts';
import { type Gap, lastGap, phase, type LinkPhase } from './link.ts';
import { tickMs } from './time.ts';

/** How long the end of a break stays visible. */
const NEWS_MS = 15_000;

export function ConnectionBadge() {
  const now = phase.value;
  return (
    <span class="badge" role="status" data-phase={now.name}>
      <span class="dot" aria-hidden="true" />
      {words(now, tickMs.value)}
      {now.name === 'live' && <News gap={lastGap.value} nowMs={tickMs.value} />}
    </span>
  );
}

function words(now: LinkPhase, atMs: number): string {
  if (now.name === 'reconnecting') return `reconnecting (${Math.max(0, Math.round((atMs - now.sinceMs) / 1_000))} s)`;
  return now.name;
}

function News({ gap, nowMs }: { readonly gap: Gap | undefined; readonly nowMs: number }) {
  if (gap === undefined || nowMs - gap.atMs > NEWS_MS) return null;
  const what = [...(gap.isNewServer ? ['server restarted'] : []), gap.isReloaded ? 'gap: reloaded' : 'nothing missed'];
  return <span class="news">{what.join(', ')}</span>;
}

export function StaleBanner() {
  const now = phase.value;
  if (now.name === 'live' || now.name === 'connecting' || now.name === 'locked') return null;
  return <p class={`banner ${now.name === 'closed' ? 'bad' : 'warn'}`}>{bannerText(now, tickMs.value)}</p>;
}

function bannerText(now: LinkPhase, atMs: number): string {
  switch (now.name) {
    case 'reconnecting':
      return `Not live: this is the state of ${duration(atMs - now.sinceMs)} ago. The page reconnects by itself.`;
    case 'catching up':
      return 'Catching up: the page may be out of date.';
    case 'draining':
      return 'The server is stopping or restarting. It accepts no further orders.';
    case 'closed':
      return `Not live, and the page no longer reconnects: ${now.why}. Reload the page.`;
    default:
      return '';
  }
}
