/** Long lists, shown in parts. */
import { type ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from './format.ts';

/** Shows a number of rows, and a button for as many more. */
export function useShownRows<Row>(rows: readonly Row[], step: number, noun: string, plural?: string) {
  const [shown, setShown] = useState(step);
  const more = rows.length > shown && (
    <More onMore={() => setShown(shown + step)}>
      {counted(rows.length - shown, `more ${noun}`, plural === undefined ? undefined : `more ${plural}`)}
    </More>
  );
  return [rows.slice(0, shown), more] as const;
}

/** The button for more rows. */
export function More({ onMore, children }: { readonly onMore: () => void; readonly children: ComponentChildren }) {
  return (
    <button type="button" class="link" onClick={onMore}>
      {children}
    </button>
  );
}
