/** The supervision tree with the status and the unread messages of each actor. */
import { useState } from 'preact/hooks';
import { counted, duration, errorText, stateText } from '../format.ts';
import { route, setQuery } from '../address-bar.ts';
import { actorHref, hrefOf } from '../route.ts';
import { Looking } from '../sheet.tsx';
import { Signed } from '../signed.tsx';
import { type Heading, Headings } from '../table.tsx';
import { useTopic } from '../use.ts';
import type { PagedTree, TreeBranch, TreeView as ActorNode } from '../../gateway/protocol/views.ts';
import { type Filter, FILTERS, isKept, badgeOf } from './status-badge.ts';
import { CHILDREN_SHOWN, type MoreRow, rowsOf, type TreeRow } from './tree-rows.ts';

export function TreeView() {
  const { view: tree, error } = useTopic<PagedTree>('tree');
  if (tree === undefined)
    return (
      <section class="sheet">
        <Looking error={error} />
      </section>
    );
  return <Tree tree={tree} />;
}

const HEADINGS: readonly Heading[] = [
  { title: 'Address' },
  { title: 'State' },
  { title: 'Status' },
  { title: 'Restarts', isNumber: true },
  { title: 'Mailbox', isNumber: true },
  { title: 'Oldest', isNumber: true },
  { title: 'Last error' },
];

interface Folds {
  readonly folded: ReadonlySet<string>;
  readonly unfolded: ReadonlySet<string>;
  readonly more: ReadonlyMap<string, number>;
}

function Tree({ tree }: { readonly tree: PagedTree }) {
  const [folds, setFolds] = useState<Folds>({ folded: new Set(), unfolded: new Set(), more: new Map() });
  const { q: text = '', only } = route.value.query;
  const filter = FILTERS.find((name) => name === only);
  const rows = rowsOf(tree, { text, filter, ...folds });
  const everybody = flat(tree);
  const fold = (address: string, isOpen: boolean) => setFolds((before) => folding(before, address, isOpen));
  const showMore = ({ parent, left }: MoreRow) =>
    setFolds((before) => ({
      ...before,
      more: new Map(before.more).set(
        parent,
        (before.more.get(parent) ?? CHILDREN_SHOWN) + Math.min(left, CHILDREN_SHOWN),
      ),
    }));
  return (
    <section class="sheet flush" aria-labelledby="tree-title">
      <div class="row sheet-head">
        <h1 id="tree-title">Actors</h1>
        <p class="quiet">
          {counted(everybody.length, 'actor')}
          {tree.next !== undefined && ' and more'}
        </p>
        <a href={hrefOf('sequence', tree.address)}>Sequence of all</a>
        <Filters everybody={everybody} filter={filter} text={text} />
      </div>
      <table class="tree stack">
        <Headings of={HEADINGS} />
        <tbody onKeyDown={(event) => walk(event, fold)}>
          {rows.map((row) =>
            'left' in row ? (
              <More key={`${row.parent}/+`} row={row} onShow={() => showMore(row)} />
            ) : (
              <Row key={row.node.address} row={row} onFold={fold} />
            ),
          )}
        </tbody>
      </table>
      {isNothingFound(rows) && (text !== '' || filter !== undefined) && <p class="empty">No actor matches.</p>}
    </section>
  );
}

interface FiltersProps {
  readonly everybody: readonly ActorNode[];
  readonly filter: Filter | undefined;
  readonly text: string;
}

function Filters({ everybody, filter, text }: FiltersProps) {
  return (
    <div class="row chips" role="group" aria-label="Show only">
      {FILTERS.map((name) => {
        const count = everybody.filter((node) => isKept(node, name)).length;
        const isOn = name === filter;
        return (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={isOn}
            onClick={() => setQuery({ q: text, only: isOn ? '' : name })}
          >
            {name} <span class="count">{count}</span>
          </button>
        );
      })}
    </div>
  );
}

interface RowProps {
  readonly row: TreeRow;
  readonly onFold: (address: string, isOpen: boolean) => void;
}

function Row({ row: { node, depth, name, fold, isHit }, onFold }: RowProps) {
  const { address } = node;
  return (
    <tr data-address={address} class={isHit ? 'hit' : undefined}>
      <th scope="row">
        <span class="branch" style={{ paddingInlineStart: `${depth * 1.1}rem` }}>
          {fold === 'none' ? (
            <span class="leaf" aria-hidden="true" />
          ) : (
            <button
              type="button"
              class="fold"
              tabIndex={-1}
              aria-expanded={fold === 'open'}
              aria-label={`Children of ${address}`}
              onClick={() => onFold(address, fold === 'closed')}
            />
          )}
          {node.hidden === true ? (
            <span class="address quiet">{name}</span>
          ) : (
            <a class="address" href={actorHref(address)}>
              {name}
            </a>
          )}
          {node.hidden !== true && node.agent !== name && <span class="agent">{node.agent}</span>}
        </span>
      </th>
      {node.hidden === true ? (
        <td colSpan={6} class="quiet">
          not shown to you
        </td>
      ) : (
        <Cells node={node} />
      )}
    </tr>
  );
}

function Cells({ node }: { readonly node: ActorNode }) {
  const { state, restarts, boss, mailbox, oldestMessageMs, lastError, restartInMs } = node;
  const { word, sign, tone } = badgeOf(node);
  return (
    <>
      <td class="value">{stateText(state)}</td>
      <td>
        <Signed kind={`standing ${tone}`} sign={sign}>
          {word}
          {restartInMs !== null && ` in ${duration(restartInMs)}`}
        </Signed>
      </td>
      <td class="number" data-name="restarts">
        {boss === null ? (
          restarts === null || restarts === 0 ? (
            ''
          ) : (
            restarts
          )
        ) : (
          <span
            title={
              `${boss.strategy}: ${boss.restartsInPeriod} of ${boss.intensity} restarts in ` +
              `${duration(boss.periodMs)}`
            }
          >
            {boss.restartsInPeriod}/{boss.intensity}
          </span>
        )}
      </td>
      <td class="number" data-name="mailbox">
        {mailbox === 0 ? '' : mailbox}
      </td>
      <td class="number" data-name="oldest">
        {oldestMessageMs === null ? '' : duration(oldestMessageMs)}
      </td>
      <td class="error" title={lastError === undefined || lastError === null ? undefined : errorText(lastError)}>
        {lastError === undefined || lastError === null ? '' : errorText(lastError)}
      </td>
    </>
  );
}

function More({ row: { depth, left }, onShow }: { readonly row: MoreRow; readonly onShow: () => void }) {
  return (
    <tr>
      <td colSpan={7}>
        <button type="button" class="link" style={{ marginInlineStart: `${depth * 1.1 + 1.4}rem` }} onClick={onShow}>
          {counted(left, 'more actor')}: show the next {Math.min(left, CHILDREN_SHOWN)}
        </button>
      </td>
    </tr>
  );
}

/** Keyboard navigation: up and down move between rows, left and right fold. */
function walk(event: KeyboardEvent, fold: (address: string, isOpen: boolean) => void): void {
  const row = (event.target as Element).closest('tr');
  if (row === null) return;
  const go = (to: Element | null) => to?.querySelector<HTMLElement>('a.address, button.link')?.focus();
  if (event.key === 'ArrowDown') go(row.nextElementSibling);
  else if (event.key === 'ArrowUp') go(row.previousElementSibling);
  else if (event.key === 'ArrowRight') fold(row.dataset['address']!, true);
  else if (event.key === 'ArrowLeft') fold(row.dataset['address']!, false);
  else return;
  event.preventDefault();
}

function folding({ folded, unfolded, more }: Folds, address: string, isOpen: boolean): Folds {
  const without = (set: ReadonlySet<string>) => new Set([...set].filter((other) => other !== address));
  return isOpen
    ? { folded: without(folded), unfolded: new Set(unfolded).add(address), more }
    : { folded: new Set(folded).add(address), unfolded: without(unfolded), more };
}

function flat(node: TreeBranch): ActorNode[] {
  return [...(node.hidden === true ? [] : [node]), ...(node.children ?? []).flatMap(flat)];
}

/** Whether no actor was found; the root is always in the list. */
function isNothingFound(rows: readonly (TreeRow | MoreRow)[]): boolean {
  return rows.every((row) => !('left' in row) && !row.isHit);
}
