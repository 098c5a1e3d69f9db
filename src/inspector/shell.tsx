/** The frame of every view: menu, search box, connection state, health strip. */
import { useEffect, useRef } from 'preact/hooks';
import { Boundary } from './boundary.tsx';
import { ConnectionBadge, StaleBanner } from './connection-badge.tsx';
import { HealthStrip } from './health-strip.tsx';
import { Notices } from './notices.tsx';
import { phase } from './link.ts';
import { route } from './address-bar.ts';
import { hrefOf } from './route.ts';
import { SearchBox } from './tree/search-box.tsx';
import { TokenGate } from './token-gate.tsx';
import { useTopic } from './use.ts';
import type { DeadLetterView } from '../gateway/protocol/views.ts';
import { INBOX, tabsOf, viewNamed, VIEWS } from './page-views.ts';

export function Shell() {
  const { view: name, rest } = route.value;
  const view = viewNamed(name);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const title = view === undefined ? 'Not found' : rest === '' ? view.title : rest;
  useEffect(() => {
    document.title = `${title} \u00b7 Bosun`;
    // Move the focus to the new view, for users of screen readers.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [name, rest]);
  if (phase.value.name === 'locked') return <TokenGate />;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skip(event, main.current)}>
        Skip to the view
      </a>
      <header class="row bar">
        <a class="brand" href="#/">
          <img src="inspector/icon.svg" alt="" width="22" height="22" />
          <span>Bosun</span>
        </a>
        <Menu current={name} />
        <SearchBox />
        <ConnectionBadge />
      </header>
      <StaleBanner />
      <main
        id="main"
        ref={main}
        tabIndex={-1}
        data-stale={phase.value.name !== 'live' && phase.value.name !== 'draining' ? '' : undefined}
      >
        <Tabs current={name} />
        {view === undefined ? (
          <NotFound name={name} />
        ) : (
          <Boundary key={name} title={view.title} place={rest}>
            <view.component rest={rest} />
          </Boundary>
        )}
      </main>
      <HealthStrip />
      <Notices />
    </>
  );
}

function Menu({ current }: { readonly current: string }) {
  const { view } = useTopic<{ readonly letters: readonly DeadLetterView[] }>('dead-letters');
  const count = view?.letters.length ?? 0;
  return (
    <nav class="row menu" aria-label="Views">
      {VIEWS.filter(({ isListed }) => isListed).map(({ name, title }) => (
        <a
          key={name}
          href={hrefOf(name)}
          aria-current={name === current || name === viewNamed(current)?.under ? 'page' : undefined}
        >
          {title}
          {name === 'dead-letters' && count > 0 && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}

/** Tabs above views that belong together, such as the inbox and the pages of the desks. */
function Tabs({ current }: { readonly current: string }) {
  const tabs = tabsOf(current);
  if (tabs.length === 0) return null;
  return (
    <nav class="row desk-tabs" aria-label={tabs[0]!.name === INBOX ? 'Desks' : tabs[0]!.title}>
      {tabs.map(({ name, title }) => (
        <a key={name} href={hrefOf(name)} aria-current={name === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}

function NotFound({ name }: { readonly name: string }) {
  return (
    <section class="sheet">
      <h1>There is no view called “{name}”</h1>
      <p>
        <a href="#/">All actors</a>
      </p>
    </section>
  );
}

/** Moves the focus without changing the address bar, which holds the route. */
function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}
