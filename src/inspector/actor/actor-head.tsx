/** The head of every page of one actor: its address, its badge, and the tabs to its other pages. */
import { type ComponentChildren } from 'preact';
import { Signed } from '../signed.tsx';
import { type StatusBadge } from '../tree/status-badge.ts';
import { ActorTabs, type ActorTabsProps } from './actor-tabs.tsx';
import { Crumbs } from './crumbs.tsx';

interface ActorHeadProps extends ActorTabsProps {
  readonly badge: StatusBadge;
  readonly agent: string;
  /** Contents between the badge and the agent. */
  readonly state?: ComponentChildren;
  readonly tags?: readonly string[];
  /** Contents below the tabs. */
  readonly children?: ComponentChildren;
}

export function ActorHead({ address, badge, agent, state, tags = [], children, ...tabs }: ActorHeadProps) {
  const { word, sign, tone } = badge;
  return (
    <header class="actor-head">
      <Crumbs address={address} />
      <h1 id="actor-title" class="mono">
        {address}
      </h1>
      <p class="row tagline">
        <Signed kind={`standing ${tone}`} sign={sign}>
          {word}
        </Signed>
        {state}
        <span class="agent">{agent}</span>
        {tags.map((tag) => (
          <span key={tag} class="agent">
            #{tag}
          </span>
        ))}
      </p>
      <ActorTabs address={address} {...tabs} />
      {children}
    </header>
  );
}
