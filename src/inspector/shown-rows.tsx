/** Long lists, shown in parts. */
import { useState } from 'preact/hooks';
import { counted } from './format.ts';

/** Shows a number of rows, and a button for as many more. */
export function useShownRows<Row>(rows: readonly Row[], step: number, noun: string, plural?: string) {
  const [shown, setShown] = useState(step);
  const more = rows.length > shown && (
    <button type="button" class="link" onClick={() => setShown(shown + step)}>
      {counted(rows.length - shown, `more ${noun}`, plural === undefined ? undefined : `more ${plural}`)}
    </button>
  );
  return [rows.slice(0, shown), more] as const;
}
