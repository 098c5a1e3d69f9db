/** Paused items: the reason, since when, what follows when, and the orders about them. */
import type { ActorView, TreeBranch } from '../../gateway/protocol/views.ts';
import { moment } from '../format.ts';
import { actorHref } from '../route.ts';
import { Sheet } from '../sheet.tsx';
import { useShownRows } from '../shown-rows.tsx';
import { kernelMs } from '../time.ts';
import { useTopic } from '../use.ts';
import { Age, Countdown } from './clock.tsx';
import { expirePause, extendPause, resumeItem } from './desk-orders.ts';
import { DeskPage, OrderButton, Orders, type Wanted } from './desk-page.tsx';
import { daysOf, pauseRow } from './desk-records.ts';
import { DESK_AGENTS, type PauseManagerShown, type PauseRow } from './desk-shapes.ts';
import { useDesk } from './use-desk.ts';

/** Agent of the actors that manage pauses, one per item that was ever paused. */
const PAUSE_MANAGER = 'pause-manager';

/** Number of items shown, since each is a topic of its own. */
const SHOWN = 40;

const WANTED: Wanted = ['no Lead Coordinator', 'crewAgents', 'crewTree(plan).children'];

export function PausesView() {
  const desk = useDesk(DESK_AGENTS.coordinator);
  const { view: tree } = useTopic<TreeBranch>('tree');
  const managers = tree === undefined ? [] : pausedIn(tree);
  const isThere = managers.length > 0 || desk.presence === 'present';
  return (
    <DeskPage desk={desk} title="Pauses" wanted={WANTED} isThere={isThere}>
      <Pauses managers={managers} coordinator={desk.address} />
    </DeskPage>
  );
}

interface OrderProps {
  readonly coordinator: string;
}

function Pauses({ managers, ...orders }: OrderProps & { readonly managers: readonly string[] }) {
  const [shown, more] = useShownRows(managers, SHOWN, 'item');
  const lead = <p class="quiet">Unless somebody acts, a pause is stale on day 14 and expires on day 30</p>;
  return (
    <Sheet id="pauses" title="Pauses" lead={lead}>
      {managers.length === 0 && <p class="empty">Nothing is paused.</p>}
      <ol class="cards">
        {shown.map((address) => (
          <Pause key={address} address={address} {...orders} />
        ))}
      </ol>
      {more}
    </Sheet>
  );
}

const STATUSES: Readonly<Record<PauseRow['status'], string>> = {
  PAUSING: 'warn',
  PAUSED: 'warn',
  RESUMING: 'calm',
  RESUMED: 'good',
  STALE: 'bad',
  EXPIRED: 'bad',
};

function Pause({ address, ...orders }: OrderProps & { readonly address: string }) {
  const { view } = useTopic<ActorView>(`actor/${address}`);
  const row = pauseRow(view?.context as PauseManagerShown | null | undefined);
  if (row === undefined) return null;
  const { item, status, reason, trigger, createdBy, pausedAtMs, extendedUntilMs, extensionReason } = row;
  const { day, next } = daysOf(row, kernelMs());
  return (
    <li class="card" data-pause={item}>
      <div class="split">
        <h2>
          <a href={actorHref(address)}>{item}</a>
        </h2>
        {(status === 'PAUSED' || status === 'STALE') && <PauseOrders row={row} {...orders} />}
      </div>
      <p>{reason}</p>
      <p class="row facts-line">
        <span class={`standing ${STATUSES[status]}`}>{status.toLowerCase()}</span>
        <span>
          day {day}, since <Age sinceMs={pausedAtMs} /> ago
        </span>
        <span>
          by {createdBy} ({trigger.toLowerCase().replaceAll('_', ' ')})
        </span>
        {next !== undefined && (
          <span>
            {next.day === 30 ? 'expires' : 'next notice'} on day {next.day}, <Countdown untilMs={next.atMs} />
          </span>
        )}
      </p>
      {extendedUntilMs !== null && (
        <p class="quiet">
          Extended until {moment(extendedUntilMs, kernelMs())}
          {extensionReason !== null && `: ${extensionReason}`}
        </p>
      )}
    </li>
  );
}

function PauseOrders({ row, coordinator }: OrderProps & { readonly row: PauseRow }) {
  const { item, status, extendedUntilMs } = row;
  return (
    <Orders about={item}>
      <OrderButton kind="small primary" label="Resume" order={() => resumeItem(coordinator, item)} />
      {status === 'PAUSED' && extendedUntilMs === null && (
        <OrderButton kind="small" label="Extend" order={() => extendPause(coordinator, row)} />
      )}
      <OrderButton kind="small quiet-danger" label="Expire" order={() => expirePause(coordinator, item)} />
    </Orders>
  );
}

function pausedIn(tree: TreeBranch): readonly string[] {
  const own = tree.hidden !== true && tree.agent === PAUSE_MANAGER && tree.state !== 'RUNNING' ? [tree.address] : [];
  return [...own, ...(tree.children ?? []).flatMap(pausedIn)];
}
