/** An actor by its address, as a link to its page. */
import { type ComponentChildren } from 'preact';
import { actorHref } from './route.ts';

export interface ActorLinkProps {
  /** Null for one that cannot be visited. */
  readonly address: string | null;
  /** In the place of a link. */
  readonly none?: ComponentChildren;
  /** Default: the address. */
  readonly children?: ComponentChildren;
}

export function ActorLink({ address, none = '', children = address }: ActorLinkProps) {
  return address === null ? (
    <>{none}</>
  ) : (
    <a class="mono" href={actorHref(address)}>
      {children}
    </a>
  );
}
