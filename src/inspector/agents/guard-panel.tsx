/** The guard of selection: agents whose profiles say too little to be chosen by, or are in each other's way. */
import { counted } from '../format.ts';
import { hrefOf } from '../route.ts';
import { Looking, Panel } from '../sheet.tsx';
import { useShownRows } from '../shown-rows.tsx';
import { type Column, Table } from '../table.tsx';
import { useAnswer } from '../use.ts';
import { type GuardReport } from './agents.ts';

const EVERY_MS = 30_000;
const ROWS_SHOWN = 40;

type Guarded = GuardReport['agents'][number];

const COLUMNS: readonly Column<Guarded>[] = [
  { title: 'Agent', cell: ({ agentId }) => <a href={hrefOf('agents', agentId)}>{agentId}</a> },
  { title: 'Verdict', cell: ({ status }) => <span class={status === 'PASS' ? '' : 'warn'}>{status}</span> },
  { title: 'Missing, and remarks', cell: ({ issues, remarks }) => [...issues, ...remarks].join('; ') },
];

export function Guard({ version }: { readonly version: string }) {
  const { result, error } = useAnswer<GuardReport>('agents.guard', {}, EVERY_MS, version);
  const told = result?.agents.filter(({ issues, remarks }) => issues.length + remarks.length > 0) ?? [];
  const [shown, more] = useShownRows(told, ROWS_SHOWN, 'agent');
  return (
    <Panel id="guard" title="Guard" kind="flush padded" count={told.length}>
      {result === undefined && <Looking error={error} kind="empty" />}
      {result !== undefined && (
        <p class="empty">
          {result.status}: {counted(result.agents.length - told.length, 'profile')} of {result.agents.length} without a
          remark
        </p>
      )}
      {result !== undefined && told.length === 0 && <p class="empty">Every profile says enough to be chosen by.</p>}
      {shown.length > 0 && <Table columns={COLUMNS} rows={shown} keyOf={({ agentId }) => agentId} />}
      {more && <p class="empty">{more}</p>}
    </Panel>
  );
}
