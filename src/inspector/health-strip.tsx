/** The health of system and gateway, on one line at the foot of the page. */
import { useEffect } from 'preact/hooks';
import { bytes, number } from './format.ts';
import { setKernelTime } from './time.ts';
import { useAnswer, useTopic } from './use.ts';
import type { DeadLetterView, SystemInfo } from '../gateway/protocol/views.ts';

const EVERY_MS = 2_000;

/** Delay of the event loop above which it is shown as slow. */
const LATE_MS = 100;

export function HealthStrip() {
  const { result, error } = useAnswer<SystemInfo>('system.info', {}, EVERY_MS);
  const { view } = useTopic<{ readonly letters: readonly DeadLetterView[] }>('dead-letters');
  useEffect(() => {
    if (result !== undefined) setKernelTime(result.nowMs);
  }, [result]);
  if (result === undefined)
    return <footer class="row health">{error === undefined ? '' : `Health is not shown: ${error.message}`}</footer>;
  const { epoch, outage, damaged, unreadable, eventLoopDelayMs, storeBytes, gateway } = result;
  // The live count, as in the menu, instead of the polled one.
  const deadLetters = view?.letters.length ?? result.deadLetters;
  const slow = gateway['slow'] ?? 0;
  return (
    <footer class="row health" aria-label="Health">
      {outage !== null && <Fact name="store" value={`cannot be written (${outage})`} isBad />}
      {damaged > 0 && <Fact name="damage" value={damaged} isBad />}
      {unreadable > 0 && <Fact name="unreadable actors" value={unreadable} isBad />}
      <Fact name="epoch" value={number(epoch)} />
      {storeBytes !== null && <Fact name="store" value={bytes(storeBytes)} />}
      {eventLoopDelayMs !== null && (
        <Fact name="event loop p99" value={`${eventLoopDelayMs} ms`} isBad={eventLoopDelayMs > LATE_MS} />
      )}
      <Fact name="clients" value={gateway['connections.open'] ?? 0} />
      <Fact name="slow consumers" value={slow} isBad={slow > 0} />
      <Fact name="dead letters" value={deadLetters} isBad={deadLetters > 0} />
    </footer>
  );
}

interface FactProps {
  readonly name: string;
  readonly value: string | number;
  readonly isBad?: boolean;
}

function Fact({ name, value, isBad = false }: FactProps) {
  return (
    <span class={isBad ? 'fact bad' : 'fact'}>
      {name} <b>{value}</b>
      {isBad && <span aria-hidden="true"> {'\u25b2'}</span>}
    </span>
  );
}
