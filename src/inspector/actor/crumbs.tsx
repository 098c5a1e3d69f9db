/** The way from the root to an actor. */
import type { TreeBranch } from '../../gateway/protocol/views.ts';
import { actorHref } from '../route.ts';
import { nodeAt } from '../tree/find.ts';
import { useTopic } from '../use.ts';

/**
 * Links to the ancestors that are actors; parts of the path may not be, since the id of a Boss's child may contain
 * slashes.
 */
export function Crumbs({ address }: { readonly address: string }) {
  const { view: tree } = useTopic<TreeBranch>('tree');
  const parts = address.split('/');
  const above = parts
    .slice(0, -1)
    .map((_, index) => parts.slice(0, index + 1).join('/'))
    .filter((one) => tree === undefined || nodeAt(tree, one) !== undefined);
  return (
    <nav class="crumbs" aria-label="Above">
      <a href="#/">root</a>
      {above.map((one) => (
        <span key={one}>
          {' / '}
          <a href={actorHref(one)}>{one.split('/').at(-1)}</a>
        </span>
      ))}
    </nav>
  );
}
