/** The delivery organisation: its teams with their state and load, who answers for what, and the log of hand-offs. */
import { OrderButton } from '../desks/desk-page.tsx';
import { Ledger, Panel } from '../sheet.tsx';
import { type Column, Table } from '../table.tsx';
import { Chip, DeliveryPage, Handoffs, useDelivery } from './delivery-page.tsx';
import { type RaciShown, type ShownOrganisation, type TeamShown } from './delivery-shapes.ts';
import { drainTeam } from './delivery.ts';

/** Tones of the states of teams. */
const TONES: Readonly<Record<string, string>> = { working: 'active', works: 'good', drained: 'warn' };

/** Teams to which the organisation hands work. */
const DRAINED: readonly TeamShown['id'][] = ['orchestrator', 'planning', 'verification', 'decomposition', 'coding-ai'];

const teamColumns = (address: string): readonly Column<TeamShown>[] => [
  { title: 'No.', isNumber: true, cell: ({ number }) => number },
  { title: 'Team', isHead: true, cell: ({ title }) => title },
  { title: 'Role', cell: ({ role }) => <span class="quiet">{role}</span> },
  { title: 'State', cell: ({ state }) => state !== 'none' && <Chip of={[state, TONES[state] ?? '']} /> },
  { title: 'Load', isNumber: true, cell: ({ load }) => load },
  { title: 'Escalates to', isNamed: true, cell: ({ escalation }) => escalation.join(', ') },
  { title: 'Orders', kind: 'end', cell: (team) => DRAINED.includes(team.id) && drainButton(address, team) },
];

const RACI_COLUMNS: readonly Column<RaciShown>[] = [
  { title: 'Row', isNumber: true, cell: ({ row }) => row },
  { title: 'Condition', isHead: true, cell: ({ condition }) => condition },
  { title: 'Responsible', isNamed: true, cell: ({ responsible }) => responsible.join(', ') },
  { title: 'Accountable', isNamed: true, cell: ({ accountable }) => accountable },
  { title: 'Consulted', isNamed: true, cell: ({ consulted }) => consulted.join(', ') },
  { title: 'Informed', isNamed: true, cell: ({ informed }) => informed.join(', ') },
  { title: 'Hand-offs', isNumber: true, cell: ({ handoffs }) => handoffs },
];

export function OrganisationView() {
  const delivery = useDelivery<ShownOrganisation>('org.show', {});
  const { result, error, organisation, version } = delivery;
  const { teams: rows, raci = [] } = result ?? {};
  const columns = teamColumns(organisation.address);
  return (
    <DeliveryPage title="Organisation" of={delivery}>
      <Ledger {...{ id: 'teams', title: 'Organisation', rows, error, empty: '', columns }} keyOf={({ id }) => id} />
      <Panel id="raci" kind="flush padded" title="Who is responsible">
        <Table columns={RACI_COLUMNS} rows={raci} keyOf={({ row }) => row} />
      </Panel>
      <Handoffs version={version} />
    </DeliveryPage>
  );
}

function drainButton(address: string, team: TeamShown) {
  const order = drainTeam(address, team);
  return <OrderButton kind="small" label={order.verb} name={order.title} order={() => order} />;
}
