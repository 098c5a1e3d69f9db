/** A link to the page of an actor. */
import { type ComponentChildren } from 'preact';
import { actorHref } from './route.ts';

export interface ActorLinkProps {
  /** The address; null for an actor without a page. */
  readonly address: string | null;
  /** The contents shown instead of a link if `address` is null. */
  readonly none?: ComponentChildren;
  /** Text of the link. Default: the address. */
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
