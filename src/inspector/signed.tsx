/** A word with a symbol before it, so that colour is never the only distinction. */
import { type ComponentChildren } from 'preact';

export interface SignedProps {
  readonly kind: string;
  readonly sign: string;
  readonly title?: string;
  readonly children: ComponentChildren;
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
