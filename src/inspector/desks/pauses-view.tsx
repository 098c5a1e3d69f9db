/** Items that are paused: why, since when, what comes when, and what can be done about it. */
import { useState } from 'preact/hooks';
import type { ActorView, TreeBranch } from '../../gateway/protocol/views.ts';
import { counted, moment } from '../format.ts';
import { actorHref } from '../route.ts';
import { kernelMs } from '../time.ts';
import { useTopic } from '../use.ts';
import { Age, Countdown } from './clock.tsx';
import { DeskDialog } from './desk-dialog.tsx';
import { DeskFrame, NoDesk } from './desk-frame.tsx';
import { type DeskOrder, expirePause, extendPause, resumeItem } from './desk-orders.ts';
import { daysOf, pauseRow } from './desk-records.ts';
import { type PauseRow } from './desk-shapes.ts';
import { maySend, useDesk } from './use-desk.ts';

/** Agent of the actors that there is one of per item that was ever paused. */
const PAUSE_MANAGER = 'pause-manager';

/** Each shown one is a topic of its own. */
const SHOWN = 40;

export function PausesView() {
  const coordinator = useDesk('coordinator');
  const { view: tree } = useTopic<TreeBranch>('tree');
  const [order, setOrder] = useState<DeskOrder | undefined>(undefined);
  const [shown, setShown] = useState(SHOWN);
  const managers = tree === undefined ? [] : pausedIn(tree);
  if (managers.length === 0 && coordinator.presence !== 'present')
    return (
      <DeskFrame>
        <NoDesk name="coordinator" desk={coordinator} title="Pauses" />
      </DeskFrame>
    );
  return (
    <DeskFrame>
      <section class="sheet" aria-labelledby="pauses-title">
        <div class="sheet-head">
          <h1 id="pauses-title">Pauses</h1>
          <p class="quiet">Without anybody, a pause is stale on day 14 and expires on day 30</p>
        </div>
        {managers.length === 0 && <p class="empty">Nothing is paused.</p>}
        <ol class="cards">
          {managers.slice(0, shown).map((address) => (
            <Pause key={address} address={address} coordinator={coordinator.address} onOrder={setOrder} />
          ))}
        </ol>
        {managers.length > shown && (
          <button type="button" class="link" onClick={() => setShown(shown + SHOWN)}>
            {counted(managers.length - shown, 'more item')}
          </button>
        )}
      </section>
      {order !== undefined && <DeskDialog key={order.title} order={order} onClose={() => setOrder(undefined)} />}
    </DeskFrame>
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

function Pause({
  address,
  coordinator,
  onOrder,
}: {
  readonly address: string;
  readonly coordinator: string;
  readonly onOrder: (order: DeskOrder) => void;
}) {
  const { view } = useTopic<ActorView>(`actor/${address}`);
  const row = pauseRow(view?.context);
  if (row === undefined) return null;
  const { item, status, reason, trigger, createdBy, pausedAtMs, extendedUntilMs, extensionReason } = row;
  const { day, next } = daysOf(row, kernelMs());
  const stands = status === 'PAUSED' || status === 'STALE';
  return (
    <li class="card" data-pause={item}>
      <div class="split">
        <h2>
          <a href={actorHref(address)}>{item}</a>
        </h2>
        {maySend() && stands && (
          <div class="row" role="group" aria-label={`Orders about ${item}`}>
            <button type="button" class="small primary" onClick={() => onOrder(resumeItem(coordinator, item))}>
              Resume…
            </button>
            {status === 'PAUSED' && extendedUntilMs === null && (
              <button type="button" class="small" onClick={() => onOrder(extendPause(coordinator, row))}>
                Extend…
              </button>
            )}
            <button
              type="button"
              class="small danger quiet-danger"
              onClick={() => onOrder(expirePause(coordinator, item))}
            >
              Expire…
            </button>
          </div>
        )}
      </div>
      <p>{reason}</p>
      <p class="facts-line">
        <span class={`standing ${STATUSES[status]}`}>{status.toLowerCase()}</span>
        <span>
          day {day}, since <Age sinceMs={pausedAtMs} /> ago
        </span>
        <span>
          by {createdBy} ({trigger.toLowerCase().replaceAll('_', ' ')})
        </span>
        {next !== undefined && (
          <span>
            {next.day === 30 ? 'expires' : 'next word'} on day {next.day}, <Countdown untilMs={next.atMs} />
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

function pausedIn(tree: TreeBranch): readonly string[] {
  const own = tree.hidden !== true && tree.agent === PAUSE_MANAGER && tree.state !== 'RUNNING' ? [tree.address] : [];
  return [...own, ...(tree.children ?? []).flatMap(pausedIn)];
}
