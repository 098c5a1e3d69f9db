/** Facts about an actor besides its state: identity, timers, unread messages, children. */
import { type ComponentChildren } from 'preact';
import type { ActorView, InspectionView, TreeBranch, TreeView } from '../../gateway/protocol/views.ts';
import { ActorLink } from '../actor-link.tsx';
import { duration, moment, stateText, timerText } from '../format.ts';
import { Panel } from '../sheet.tsx';
import { Signed } from '../signed.tsx';
import { kernelMs } from '../time.ts';
import { nodeAt } from '../tree/find.ts';
import { badgeOf } from '../tree/status-badge.ts';

interface FactsProps {
  readonly view: ActorView;
  readonly inspection: InspectionView | undefined;
  readonly node: TreeView | undefined;
}

export function Facts({ view, inspection, node }: FactsProps) {
  const boss = node?.boss ?? null;
  return (
    <Panel id="facts" title="Facts">
      <dl class="facts">
        <Fact name="strategy">{boss && <code>{boss.strategy}</code>}</Fact>
        <Fact name="restarts">
          {boss === null
            ? node?.restarts
            : `${boss.restartsInPeriod} of ${boss.intensity} in ${duration(boss.periodMs)}`}
        </Fact>
        <Fact name="changes">{view.sequence}</Fact>
        {inspection !== undefined && <Inspected inspection={inspection} />}
      </dl>
    </Panel>
  );
}

function Inspected({ inspection }: { readonly inspection: InspectionView }) {
  const { kind, version, life, incarnation, attempt, parent } = inspection;
  return (
    <>
      <Fact name="kind">{`${kind}, version ${version}`}</Fact>
      <Fact name="life">{incarnation > 0 ? `${life}, incarnation ${incarnation}` : life}</Fact>
      <Fact name="attempt">{attempt > 0 && attempt}</Fact>
      <Fact name="belongs to">{parent !== null && <ActorLink address={parent} />}</Fact>
    </>
  );
}

/** A named fact; nothing if its value is empty. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  if (children === null || children === undefined || children === false) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Timers({ inspection }: { readonly inspection: InspectionView | undefined }) {
  const open = inspection?.timers ?? [];
  if (open.length === 0) return null;
  return (
    <Panel id="timers" title="Timers">
      <ul class="plain">
        {open.map(({ id, deadlineMs, event }) => (
          <li key={id} class="split">
            <span title={event ?? id}>{timerText(event ?? id)}</span>
            <span class="number">
              {deadlineMs <= kernelMs()
                ? 'due'
                : `in ${duration(Math.ceil((deadlineMs - kernelMs()) / 1_000) * 1_000)}`}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function Mailbox({ inspection }: { readonly inspection: InspectionView | undefined }) {
  if (inspection === undefined || inspection.mailbox === 0) return null;
  const { mailbox, unread } = inspection;
  return (
    <Panel id="mailbox" title="Mailbox" count={mailbox}>
      <ul class="plain">
        {unread.map(({ event, from, sinceMs, deliveries }, index) => (
          <li key={index} class="split">
            <span>
              <code>{event}</code> <span class="quiet">from {from ?? 'an actor that has ended'}</span>
              {deliveries > 0 && <span class="bad"> crashed {deliveries} times</span>}
            </span>
            <span class="number">{sinceMs === null ? '' : moment(sinceMs, kernelMs())}</span>
          </li>
        ))}
      </ul>
      {mailbox > unread.length && <p class="quiet">and {mailbox - unread.length} more</p>}
    </Panel>
  );
}

/** The transitions of a chart that a turn took. */
export function Edges({ edges }: { readonly edges: readonly string[] }) {
  return (
    <Fact name={edges.length === 1 ? 'edge' : 'edges'}>
      {edges.length > 0 &&
        edges.map((edge, index) => (
          <div key={index}>
            <code>{edge}</code>
          </div>
        ))}
    </Fact>
  );
}

interface ChildrenProps {
  readonly inspection: InspectionView | undefined;
  readonly tree: TreeBranch | undefined;
}

export function Children({ inspection, tree }: ChildrenProps) {
  const children = inspection?.children ?? [];
  if (children.length === 0) return null;
  return (
    <Panel id="children" title="Children" count={children.length}>
      <ul class="plain">
        {children.slice(0, CHILDREN_MAX).map((address) => (
          <Child key={address} address={address} node={tree === undefined ? undefined : nodeAt(tree, address)} />
        ))}
      </ul>
      {children.length > CHILDREN_MAX && <p class="quiet">and {children.length - CHILDREN_MAX} more, in the tree</p>}
    </Panel>
  );
}

const CHILDREN_MAX = 50;

function Child({ address, node }: { readonly address: string; readonly node: TreeView | undefined }) {
  const standing = node === undefined ? undefined : badgeOf(node);
  return (
    <li class="split">
      <span>
        {standing !== undefined && (
          <Signed kind={`standing ${standing.tone}`} sign={standing.sign} title={standing.word}>
            <span class="unseen">{standing.word}</span>
          </Signed>
        )}{' '}
        <ActorLink address={address}>{address.split('/').at(-1)}</ActorLink>
      </span>
      <span class="value">{node === undefined ? '' : stateText(node.state)}</span>
    </li>
  );
}
