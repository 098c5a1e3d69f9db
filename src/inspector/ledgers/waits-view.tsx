/** Who waits for whom, since when and until when, the longest waiting first. */
import { ActorLink } from '../actor-link.tsx';
import { duration, stateText } from '../format.ts';
import { kernelMs } from '../time.ts';
import { useAnswer } from '../use.ts';
import type { WaitView } from '../../gateway/protocol/views.ts';

const EVERY_MS = 1_000;

const KINDS: Readonly<Record<string, string>> = {
  ask: 'for a reply',
  effect: 'for what it invoked',
  room: 'for room in a mailbox',
  restart: 'to be started again',
  end: 'for a child to end',
  suspended: 'to be resumed',
};

export function WaitsView() {
  const { result, error } = useAnswer<{ readonly waits: readonly WaitView[] }>('wait.list', { limit: 500 }, EVERY_MS);
  const waits = result?.waits ?? [];
  return (
    <section class="sheet flush" aria-labelledby="waits-title">
      <div class="sheet-head">
        <h1 id="waits-title">Who waits for whom</h1>
      </div>
      {result === undefined && <p class={error === undefined ? 'empty' : 'bad'}>{error?.message ?? 'Looking…'}</p>}
      {result !== undefined && waits.length === 0 && <p class="empty">Nobody waits for anybody.</p>}
      {waits.length > 0 && (
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">Who</th>
              <th scope="col">In state</th>
              <th scope="col">Waits</th>
              <th scope="col">For whom</th>
              <th scope="col" class="number">
                Since
              </th>
              <th scope="col" class="number">
                At most
              </th>
            </tr>
          </thead>
          <tbody>
            {waits.map((wait, index) => (
              <Row key={`${wait.address} ${wait.kind} ${wait.for} ${index}`} wait={wait} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ wait: { kind, address, state, for: whom, sinceMs, untilMs } }: { readonly wait: WaitView }) {
  const nowMs = kernelMs();
  return (
    <tr>
      <th scope="row">
        <ActorLink address={address} none={<span class="quiet">a host</span>} />
      </th>
      <td class="value">{stateText(state)}</td>
      <td>{KINDS[kind] ?? kind}</td>
      <td>{whom !== null && kind === 'suspended' ? `suspended by ${whom}` : <ActorLink address={whom} />}</td>
      <td class="number" data-name="since">
        {sinceMs === null ? '' : duration(wholeSeconds(nowMs - sinceMs))}
      </td>
      <td class="number" data-name="at most">
        {untilMs === null ? '' : `${duration(wholeSeconds(untilMs - nowMs))} more`}
      </td>
    </tr>
  );
}

function wholeSeconds(ms: number): number {
  return Math.max(0, Math.round(ms / 1_000)) * 1_000;
}
