/** Migrations of the hubs that earlier builds have stored. Pure. */
import { table } from '../../table.ts';
import { type Budget } from './budget.ts';
import { type HubContext, type HubSession } from './hub-state.ts';

/** The context of a hub of version 1, in which rules decided and nobody waited. */
function ofRules(old: HubContext): HubContext {
  const { id, spawned } = old;
  const added = { parent: id, task: '', key: null, waiting: [], isOrphan: false };
  const rows = Object.values(old.open as unknown as Readonly<Record<string, HubSession>>);
  const open = rows.reduce((all, row) => all.set(row.session, { ...added, ...row }), table<HubSession>());
  const lastRoles = old.last === null ? {} : { [id]: old.last.role };
  return {
    ...{ ...old, decides: { kind: 'rules' }, numbered: spawned, open, lastRoles },
    ...{ asked: [], prepared: table(), keyed: table() },
  };
}

/** The budget of a hub of version 2, which had money alone. */
interface MoneyBudget {
  readonly costUsdMax: number | null;
  readonly spentUsd: number;
  readonly reserved: Readonly<Record<string, number>>;
}

function ofMoney(old: HubContext): HubContext {
  const { costUsdMax, spentUsd, reserved } = old.budget as unknown as MoneyBudget;
  const budget: Budget = {
    ...{ max: { costUsd: costUsdMax, tokens: null }, spent: { costUsd: spentUsd, tokens: 0 } },
    reserved: Object.fromEntries(
      Object.entries(reserved).map(([session, costUsd]) => [session, { costUsd, tokens: null }]),
    ),
  };
  return { ...old, budget };
}

function migrated(change: (old: HubContext) => HubContext) {
  return (old: object) => ({ ...old, context: change((old as { readonly context: HubContext }).context) }) as never;
}

/** The steps by the version that they lead to. */
export const hubMigrations = { 2: migrated(ofRules), 3: migrated(ofMoney) };
