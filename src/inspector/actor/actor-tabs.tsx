/** The views of one actor: present state, history, and sequence diagram. */
import { hrefOf } from '../route.ts';

const TABS = [
  { view: 'actor', title: 'Now' },
  { view: 'history', title: 'History' },
  { view: 'sequence', title: 'Sequence' },
] as const;

interface ActorTabsProps {
  readonly address: string;
  readonly current: (typeof TABS)[number]['view'];
}

export function ActorTabs({ address, current }: ActorTabsProps) {
  return (
    <nav class="row menu tabs" aria-label="Views of this actor">
      {TABS.map(({ view, title }) => (
        <a key={view} href={hrefOf(view, address)} aria-current={view === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
