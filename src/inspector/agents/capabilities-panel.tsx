/** The capabilities of all agents as a matrix, by category. */
import { useState } from 'preact/hooks';
import type { CapabilitiesResult } from '../../machines/agents/profile.ts';
import { counted } from '../format.ts';
import { hrefOf } from '../route.ts';
import { Looking, Panel } from '../sheet.tsx';
import { useShownRows } from '../shown-rows.tsx';
import { useAnswer } from '../use.ts';
import { matrixOf } from './agents.ts';

const EVERY_MS = 30_000;

/** Columns and rows of the matrix. More agents are found by their category, or by the search above. */
const AGENTS_SHOWN = 40;
const ROWS_SHOWN = 40;

const CATEGORIES = ['all', 'implementation', 'review', 'strategy', 'research', 'generalist'] as const;

export function Capabilities({ version }: { readonly version: string }) {
  const [category, setCategory] = useState<string>('all');
  const { result, error } = useAnswer<CapabilitiesResult>('agents.capabilities', { category }, EVERY_MS, version);
  return (
    <Panel id="capability-matrix" title="Capabilities" kind="flush padded" count={result?.capabilities.length ?? 0}>
      <p class="row">
        <select aria-label="Category" value={category} onChange={(event) => setCategory(event.currentTarget.value)}>
          {CATEGORIES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </p>
      {result === undefined && <Looking error={error} kind="empty" />}
      {result?.capabilities.length === 0 && <p class="empty">No agent of this category names a capability.</p>}
      {result !== undefined && result.capabilities.length > 0 && <Matrix result={result} />}
    </Panel>
  );
}

function Matrix({ result }: { readonly result: CapabilitiesResult }) {
  const { agents, hidden, rows } = matrixOf(result, AGENTS_SHOWN);
  const [shown, more] = useShownRows(rows, ROWS_SHOWN, 'capability', 'capabilities');
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Capabilities by agents, scrolls">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">Capability</th>
              {agents.map((agentId) => (
                <th key={agentId} scope="col">
                  <a href={hrefOf('agents', agentId)}>{agentId}</a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ capability, marks }) => (
              <tr key={capability}>
                <th scope="row">{capability}</th>
                {marks.map((has, at) => (
                  <td key={agents[at]}>
                    {has && (
                      <span role="img" aria-label="yes" title={agents[at]}>
                        {'\u25cf'}
                      </span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more && <p class="empty">{more}</p>}
      {hidden > 0 && <p class="empty">{`${counted(hidden, 'more agent')}: choose a category.`}</p>}
    </>
  );
}
