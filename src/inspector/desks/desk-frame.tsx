/** What is around each page of a desk: the way to the others, and what is said where the desk is not there. */
import { type ComponentChildren } from 'preact';
import { route } from '../address-bar.ts';
import { hrefOf } from '../route.ts';
import { type Desk, type DeskName } from './use-desk.ts';

/** The pages, in the order of the row above them. */
const PAGES = [
  ['inbox', 'Inbox'],
  ['gates', 'Gates'],
  ['alerts', 'Alerts'],
  ['batches', 'Batches'],
  ['pauses', 'Pauses'],
  ['debates', 'Debates'],
] as const;

const WANTED: Readonly<Record<DeskName, readonly [what: string, agents: string, children: string]>> = {
  gates: ['no desk of gates', 'gateAgents', 'gateChildren()'],
  alerts: ['no desk of alerts', 'failureAgents', 'failureDesks'],
  batches: ['no BatchManager', 'failureAgents', 'failureDesks'],
  debates: ['no Debate Facilitator', 'debateAgents()', 'debateChildren()'],
  coordinator: ['no Lead Coordinator', 'crewAgents', 'crewTree(plan).children'],
};

export function DeskFrame({ children }: { readonly children: ComponentChildren }) {
  const { view } = route.value;
  return (
    <>
      <nav class="desk-tabs" aria-label="Desks">
        {PAGES.map(([name, title]) => (
          <a key={name} href={hrefOf(name)} aria-current={name === view ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {children}
    </>
  );
}

/** In the place of a page whose desk cannot be shown. */
export function NoDesk({
  name,
  desk,
  title,
}: {
  readonly name: DeskName;
  readonly desk: Desk;
  readonly title: string;
}) {
  const [what, agents, children] = WANTED[name];
  return (
    <section class="sheet">
      <h1>{title}</h1>
      {desk.presence !== 'absent' && <p class="empty">Looking…</p>}
      {desk.presence === 'absent' && (
        <div class="plain">
          <p>This system has {what}.</p>
          <p class="quiet">
            To have one, give <code>createSystem</code> the agents <code>{agents}</code> and the children{' '}
            <code>{children}</code> of <code>bosun/machines</code>.
          </p>
        </div>
      )}
    </section>
  );
}
