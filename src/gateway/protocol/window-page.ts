/** Pages of windows as clients read them. */
import type { WindowPage } from '../../actors/api/window-page.ts';

export type { WindowPage } from '../../actors/api/window-page.ts';

/** The rows of a page in the order of its window, whatever order JSON and patches have left their keys in. */
export function rowsInOrder<Row>({ rows, isReverse }: WindowPage<Row>): Row[] {
  const keys = Object.keys(rows).sort();
  return (isReverse ? keys.reverse() : keys).map((key) => rows[key]!);
}
