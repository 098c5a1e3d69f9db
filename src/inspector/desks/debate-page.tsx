/**
 * One debate: its level, both positions and statements, the credibility of both sides with reasons, and the provisional
 * value.
 */
import { type ComponentChildren } from 'preact';
import { moment } from '../format.ts';
import { maySend } from '../link.ts';
import { hrefOf } from '../route.ts';
import { Panel, RecordHead } from '../sheet.tsx';
import { Headings } from '../table.tsx';
import { kernelMs } from '../time.ts';
import { useTopic } from '../use.ts';
import type { InspectionView } from '../../gateway/protocol/views.ts';
import { Countdown } from './clock.tsx';
import { stepsOf, timersOf } from './debate-levels.ts';
import { reviewNow } from './desk-orders.ts';
import { About, ActorName, OrderButton, type RecordProps, Since } from './desk-page.tsx';
import { saidIn } from './desk-records.ts';
import { type AnalysisShown, type DebateRow, type DebateShown, type SaidShown, type Side } from './desk-shapes.ts';
import { rounded } from './readable.tsx';
import { useShown } from './use-desk.ts';

export function DebatePage({ row, desk }: RecordProps<DebateRow>) {
  const shown = useShown<DebateShown>(row.ref);
  const { view: inspection } = useTopic<InspectionView>(row.ref === null ? undefined : `inspection/${row.ref.actor}`);
  return (
    <article class="actor" aria-labelledby="debate-title">
      <RecordHead id="debate" list="Debates" crumb={<ActorName name={row.id} actor={row.ref} />} title={row.topic}>
        <Facts row={row} />
      </RecordHead>
      <Stepper row={row} deadlines={timersOf(inspection?.timers ?? [])} />
      <Standing row={row} gate={shown?.gate ?? null} desk={desk} />
      {shown !== undefined && <Disputed row={row} shown={shown} />}
      {row.analysis !== null && <Credibility analysis={row.analysis} row={row} />}
    </article>
  );
}

function Facts({ row }: { readonly row: DebateRow }) {
  const { challenger, challenged, openedAtMs, item, expert, isOver } = row;
  return (
    <p class="row facts-line">
      <span>
        {challenger} doubts {challenged}
      </span>
      <About item={item} />
      {!isOver && <Since sinceMs={openedAtMs} />}
      {expert !== null && <span>expert: {expert}</span>}
    </p>
  );
}

function Disputed({ row, shown }: { readonly row: DebateRow; readonly shown: DebateShown }) {
  const { challenge, positions } = shown;
  const said = saidIn(shown);
  return (
    <Panel id="disputed" title="What is disputed">
      <p>{challenge.disputedFinding}</p>
      <div class="sides">
        <SideColumn side="challenger" agent={row.challenger} position={positions.challenger} said={said}>
          <p>{challenge.basis.statement}</p>
          <Evidence evidence={challenge.basis.evidence} />
        </SideColumn>
        <SideColumn side="challenged" agent={row.challenged} position={positions.challenged} said={said} />
      </div>
    </Panel>
  );
}

function Stepper({ row, deadlines }: { readonly row: DebateRow; readonly deadlines: ReturnType<typeof timersOf> }) {
  return (
    <section class="sheet" aria-label="Levels">
      <ol class="row stepper">
        {stepsOf(row).map(({ level, name, standing }) => (
          <li key={level} class={standing} aria-current={standing === 'here' ? 'step' : undefined}>
            <span class="step-sign" aria-hidden="true">
              {standing === 'behind' ? '\u2713' : level.slice(1)}
            </span>
            <span>
              {name}
              {standing === 'here' && <span class="unseen"> (here)</span>}
            </span>
          </li>
        ))}
      </ol>
      {deadlines.length > 0 && (
        <p class="quiet">
          {deadlines.map(({ what, untilMs }, index) => (
            <span key={what}>
              {index > 0 && ' · '}
              {what} <Countdown untilMs={untilMs} over="now" />
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

/** The state of a debate: ended, waiting for people, or provisional. */
function Standing({ row, gate, desk }: RecordProps<DebateRow> & { readonly gate: string | null }) {
  const { isOver, summary, provisional, level } = row;
  if (isOver) {
    return (
      <section class="sheet" data-testid="debate-outcome">
        <h2>{summary === null ? 'Ended without a statement' : `Ended: ${summary.outcome.replaceAll('_', ' ')}`}</h2>
        {summary !== null && (
          <p>
            {summary.side === null ? '' : `For ${row[summary.side]}, the ${summary.side}: `}
            {summary.method}, {moment(summary.resolvedAtMs, kernelMs())}
          </p>
        )}
      </section>
    );
  }
  const isAsked = gate !== null && (level === 'L3' || level === 'L5');
  if (!isAsked && provisional === null) return null;
  return (
    <section class="sheet attention" data-testid="debate-standing">
      {provisional !== null && (
        <>
          <h2>Provisional</h2>
          <p>
            Work goes on with “{provisional.position.statement}”, the {provisional.side}’s position, until people have
            reviewed it.
          </p>
          <p class="quiet">
            {provisional.rationale}. Applied {moment(provisional.appliedAtMs, kernelMs())}.
          </p>
        </>
      )}
      {isAsked && (
        <p>
          <a class="button primary" href={hrefOf('gates', gate)}>
            {level === 'L5'
              ? provisional === null
                ? 'Decide'
                : 'Confirm, override or debate again'
              : 'Decide as the expert'}
          </a>
        </p>
      )}
      {!isAsked && maySend() && (
        <p>
          <OrderButton label="Review now" order={() => reviewNow(desk)} />
        </p>
      )}
    </section>
  );
}

interface SideProps {
  readonly side: Side;
  readonly agent: string;
  readonly position: DebateShown['positions'][Side];
  readonly said: readonly SaidShown[];
  readonly children?: ComponentChildren;
}

function SideColumn({ side, agent, position, said, children }: SideProps) {
  const own = said.filter((one) => one.side === side);
  return (
    <div>
      <h3>
        {agent} <span class="quiet">{side === 'challenger' ? 'doubts it' : 'found it'}</span>
      </h3>
      <p class="position">{position.statement}</p>
      {children}
      {own.map((one) => (
        <div key={one.atMs} class="contribution">
          <p>{one.statement}</p>
          <Evidence evidence={one.evidence} />
          {one.flaw !== null && <p class="warn">does not count: {one.flaw}</p>}
        </div>
      ))}
      {own.length === 0 && children === undefined && <p class="quiet">Has said nothing yet.</p>}
    </div>
  );
}

function Evidence({ evidence }: { readonly evidence: SaidShown['evidence'] }) {
  return (
    <ul class="evidence">
      {evidence.map(({ kind, source, strength }) => (
        <li key={`${kind} ${source}`}>
          {kind}: {source} <span class="quiet">strength {rounded(strength)}</span>
        </li>
      ))}
    </ul>
  );
}

const FACTORS = [
  ['base', 'right in context'],
  ['temporal', 'how recent'],
  ['regime', 'in this regime'],
  ['trend', 'trend'],
  ['override', 'overridden by people'],
] as const;

function Credibility({ analysis, row }: { readonly analysis: AnalysisShown; readonly row: DebateRow }) {
  const { challenger, challenged, differential, required, higher, regime, notKnown } = analysis;
  return (
    <section class="sheet flush" aria-labelledby="credibility-title">
      <div class="row sheet-head">
        <h2 id="credibility-title">Credibility of each side</h2>
        <p class="quiet">
          {rounded(differential)} apart, {rounded(required)} needed{higher !== null && `; ${row[higher]} is ahead`};
          regime {regime}
        </p>
      </div>
      <table>
        <Headings
          of={[{ title: 'Factor' }, ...[row.challenger, row.challenged].map((title) => ({ title, isNumber: true }))]}
        />
        <tbody>
          {FACTORS.map(([name, words]) => (
            <tr key={name}>
              <th scope="row">{words}</th>
              <td class="number">{rounded(challenger.factors[name].value)}</td>
              <td class="number">{rounded(challenged.factors[name].value)}</td>
            </tr>
          ))}
          <tr class="sum">
            <th scope="row">Score</th>
            {[challenger, challenged].map(({ score, interval }, index) => (
              <td key={index} class="number">
                {rounded(score)} <span class="quiet">± {rounded(interval)}</span>
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row">Cases counted</th>
            <td class="number">{challenger.samples}</td>
            <td class="number">{challenged.samples}</td>
          </tr>
        </tbody>
      </table>
      {notKnown.length > 0 && <p class="empty">Not known: {notKnown.join(', ')}</p>}
    </section>
  );
}
