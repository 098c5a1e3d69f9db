/** The views of one actor: present state or result, history, and sequence diagram. */
import { hrefOf } from '../route.ts';

const TABS = [
  { view: 'actor', title: 'Now' },
  { view: 'history', title: 'History' },
  { view: 'sequence', title: 'Sequence' },
] as const;

export interface ActorTabsProps {
  readonly address: string;
  readonly current: (typeof TABS)[number]['view'];
  /** Whether it has ended: only living ones have a sequence. */
  readonly hasEnded?: boolean;
}

export function ActorTabs({ address, current, hasEnded = false }: ActorTabsProps) {
  return (
    <nav class="row menu tabs" aria-label="Views of this actor">
      {TABS.filter(({ view }) => !hasEnded || view !== 'sequence').map(({ view, title }) => (
        <a key={view} href={hrefOf(view, address)} aria-current={view === current ? 'page' : undefined}>
          {hasEnded && view === 'actor' ? 'Result' : title}
        </a>
      ))}
    </nav>
  );
}
