/** Waits between actors: who waits for whom, since when and until when, the longest first. */
import { ActorLink } from '../actor-link.tsx';
import { duration, stateText } from '../format.ts';
import { Ledger } from '../sheet.tsx';
import { type Column } from '../table.tsx';
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

const COLUMNS: readonly Column<WaitView>[] = [
  { title: 'Who', cell: ({ address }) => <ActorLink address={address} none={<span class="quiet">a host</span>} /> },
  { title: 'In state', kind: 'value', cell: ({ state }) => stateText(state) },
  { title: 'Waits', cell: ({ kind }) => KINDS[kind] ?? kind },
  {
    title: 'For whom',
    cell: ({ kind, for: whom }) =>
      whom !== null && kind === 'suspended' ? `suspended by ${whom}` : <ActorLink address={whom} />,
  },
  {
    title: 'Since',
    isNumber: true,
    cell: ({ sinceMs }) => sinceMs !== null && duration(wholeSeconds(kernelMs() - sinceMs)),
  },
  {
    title: 'At most',
    isNumber: true,
    cell: ({ untilMs }) => untilMs !== null && `${duration(wholeSeconds(untilMs - kernelMs()))} more`,
  },
];

export function WaitsView() {
  const { result, error } = useAnswer<{ readonly waits: readonly WaitView[] }>('wait.list', { limit: 500 }, EVERY_MS);
  return (
    <Ledger
      id="waits"
      title="Who waits for whom"
      rows={result?.waits}
      error={error}
      empty="No actor waits for another."
      columns={COLUMNS}
      keyOf={(_, index) => index}
    />
  );
}

function wholeSeconds(ms: number): number {
  return Math.max(0, Math.round(ms / 1_000)) * 1_000;
}
