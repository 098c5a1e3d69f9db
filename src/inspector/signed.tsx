/** Words about a state, and words with a symbol before them, so that colour is never the only distinction. */
import { type ComponentChildren } from 'preact';

export interface SignedProps {
  readonly kind: string;
  readonly sign: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

interface StandingProps {
  readonly of: readonly [words: string, tone: string];
  /** The name of those who brought it there. */
  readonly by?: string | null | undefined;
}

/** Words for how something stands, with a tone. */
export function Standing({ of: [words, tone], by = null }: StandingProps) {
  return <span class={`standing ${tone}`}>{by === null ? words : `${words} by ${by}`}</span>;
}

export function Signed({ kind, sign, title, children }: SignedProps) {
  return (
    <span class={kind} title={title}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {children}
    </span>
  );
}
