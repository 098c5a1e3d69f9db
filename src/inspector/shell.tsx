/** What is around every view: the menu, the search box, the state of the line, the strip of health. */
import { useEffect, useRef } from 'preact/hooks';
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
import { INBOX, viewNamed, VIEWS } from './page-views.ts';

export function Shell() {
  const { view: name, rest } = route.value;
  const view = viewNamed(name);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const title = view === undefined ? 'Not found' : rest === '' ? view.title : rest;
  useEffect(() => {
    document.title = `${title} \u00b7 Bosun`;
    // Whoever cannot see the change has to be where it is.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [name, rest]);
  if (phase.value.name === 'locked') return <TokenGate />;
  const Component = view?.component;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skip(event, main.current)}>
        Skip to the view
      </a>
      <header class="row bar">
        <a class="brand" href="#/">
          <img src="/inspector/icon.svg" alt="" width="22" height="22" />
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
        <DeskTabs current={name} />
        {Component === undefined ? <NotFound name={name} /> : <Component rest={rest} />}
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

/** Above the inbox and the pages of the desks: the way from one to the others. */
function DeskTabs({ current }: { readonly current: string }) {
  const tabs = VIEWS.filter(({ name, under }) => name === INBOX || under === INBOX);
  if (!tabs.some(({ name }) => name === current)) return null;
  return (
    <nav class="row desk-tabs" aria-label="Desks">
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

/** The address bar is the views'. */
function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}
