/** The search box: `/` focuses it, Enter opens the first matching actor, and its text filters the tree. */
import { useEffect, useRef } from 'preact/hooks';
import { go, route, setQuery } from '../address-bar.ts';
import { actorHref, hrefOf } from '../route.ts';
import { useTopic } from '../use.ts';
import type { TreeBranch } from '../../gateway/protocol/views.ts';
import { hitsOf } from './tree-rows.ts';

export function SearchBox() {
  const box = useRef<HTMLInputElement>(null);
  const { view: tree } = useTopic<TreeBranch>('tree');
  const text = route.value.view === 'tree' ? (route.value.query['q'] ?? '') : '';
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  const look = (q: string) => {
    if (route.value.view === 'tree') setQuery({ ...route.value.query, q });
    else go(hrefOf('tree', '', { q }));
  };
  const visit = (event: Event) => {
    event.preventDefault();
    const [first] = tree === undefined || text === '' ? [] : hitsOf(tree, text);
    if (first !== undefined) go(actorHref(first));
  };
  return (
    <form class="search" role="search" onSubmit={visit}>
      <input
        ref={box}
        type="search"
        aria-label="Search actors by address, agent or state"
        placeholder="Search actors"
        aria-keyshortcuts="/"
        value={text}
        onInput={(event) => look(event.currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}
