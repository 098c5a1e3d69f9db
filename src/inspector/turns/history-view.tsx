/** The history of an actor: the turns that its agent keeps, one by one, each with its chart and its context. */
import { useEffect, useMemo } from 'preact/hooks';
import type { ActorView, InspectionView, KeptTurnView } from '../../gateway/protocol/views.ts';
import { ActorLink } from '../actor-link.tsx';
import { ActorTabs } from '../actor/actor-tabs.tsx';
import { Chart } from '../actor/chart.tsx';
import { useEnded } from '../actor/ended-actor.tsx';
import { Edges, Fact } from '../actor/facts.tsx';
import { JsonTree } from '../actor/json-tree.tsx';
import { route, setQuery } from '../address-bar.ts';
import { duration, moment, stateText } from '../format.ts';
import { actorHref } from '../route.ts';
import { Looking, Panel } from '../sheet.tsx';
import { every, kernelMs } from '../time.ts';
import { useAnswer, useTopic } from '../use.ts';
import { ChangesTable } from './changes-table.tsx';
import { placeIn, type HistoryStep, stepsOf, titleOf } from './history.ts';
import { StepPicker } from './step-picker.tsx';

/** Number of the latest kept turns that are loaded. */
const STEPS_MAX = 1_000;

/** Intervals of reloading: while the actor is ahead of the history, and otherwise, for turns that did not change it. */
const BEHIND_MS = 1_000;
const IDLE_MS = 15_000;

export function HistoryView({ rest: address }: { readonly rest: string }) {
  const { view, error: gone } = useTopic<ActorView>(`actor/${address}`);
  const { view: inspection } = useTopic<InspectionView>(`inspection/${address}`);
  const { result, error, again } = useAnswer<{ readonly turns: readonly KeptTurnView[] }>(
    'actor.history',
    { address, limit: STEPS_MAX },
    IDLE_MS,
  );
  const { run } = useEnded(address, gone !== undefined);
  const steps = useMemo(() => stepsOf(result?.turns ?? []), [result]);
  const isBehind =
    view !== undefined && result !== undefined && (result.turns.at(-1)?.sequence ?? view.sequence) !== view.sequence;
  useEffect(() => (isBehind ? every(BEHIND_MS, again) : undefined), [isBehind]);
  const place = placeIn(steps, Number(route.value.query['turn'] ?? NaN));
  const step = steps[place];
  return (
    <article class="actor" aria-labelledby="history-title">
      <header class="actor-head">
        <h1 id="history-title" class="mono">
          {address}
        </h1>
        <ActorTabs address={address} current="history" hasEnded={run !== undefined} />
      </header>
      {(result === undefined || error !== undefined) && <Looking error={error} />}
      {result !== undefined && step === undefined && <NothingKept agent={view?.agent ?? run?.agent} />}
      {step !== undefined && (
        <>
          <PastNote address={address} step={step} hasEnded={run !== undefined} />
          <StepPicker
            steps={steps}
            place={place}
            onPick={(number) => setQuery(number === undefined ? {} : { turn: String(number) })}
          />
          <div class="columns">
            <div class="wide">
              <Chart
                address={address}
                inspection={inspection ?? run}
                value={step.value}
                last={{ event: step.event?.type ?? null, edges: step.edges }}
                isPast
                sendable={[]}
                onEvent={() => {}}
              />
            </div>
            <PastTurn step={step} before={steps[place - 1]} />
          </div>
        </>
      )}
    </article>
  );
}

/** The event and the changes of a turn, and the context after it. */
function PastTurn({ step, before }: { readonly step: HistoryStep; readonly before: HistoryStep | undefined }) {
  return (
    <div class="narrow">
      <TurnFacts step={step} before={before} />
      <Panel id="changes" title="What it changed">
        <ChangesTable
          changes={step.changes}
          why="Nothing to compare with: the turn before it is not kept, or there was none."
        />
      </Panel>
      <Panel id="context" title="Context after it">
        <JsonTree value={step.context} name="context" />
      </Panel>
    </div>
  );
}

interface PastNoteProps {
  readonly address: string;
  readonly step: HistoryStep;
  readonly hasEnded: boolean;
}

function PastNote({ address, step: { atMs }, hasEnded }: PastNoteProps) {
  const now = kernelMs();
  return (
    <p class="note past">
      This is the past, as it was at {moment(atMs, now)},{' '}
      {duration(Math.floor(Math.max(0, now - atMs) / 1_000) * 1_000)} ago. Nothing can be sent here.{' '}
      <a href={actorHref(address)}>{hasEnded ? 'What became of it' : 'Return to live'}</a>
    </p>
  );
}

function NothingKept({ agent }: { readonly agent: string | undefined }) {
  return (
    <Panel id="nothing" title="No turn of this actor is kept" kind="nothing-kept">
      <p>With this setting, an agent keeps the last turns of each of its actors in the store, from the next turn on:</p>
      <pre
        tabIndex={0}
        aria-label="How to have turns kept"
      >{`defineAgent({ name: ${JSON.stringify(agent ?? 'order')}, machine, events, trace: { keep: 100 } })`}</pre>
      <p class="quiet">The last turns of the system, by their names, are under Sequence.</p>
    </Panel>
  );
}

function TurnFacts({ step, before }: { readonly step: HistoryStep; readonly before: HistoryStep | undefined }) {
  const { event, cause, edges, value, changes, error, durationMs, kind } = step;
  return (
    <Panel id="turn" title={titleOf(step)}>
      <dl class="facts">
        <Fact name="state">
          {changes !== null && before !== undefined && `${stateText(before.value)} \u2192 `}
          <span data-testid="state-then">{stateText(value)}</span>
        </Fact>
        <Fact name="turn">
          {step.number}, {kind}
        </Fact>
        <Fact name="from">{event !== null && <ActorLink address={cause?.address ?? null} none="outside" />}</Fact>
        <Edges edges={edges} />
        <Fact name="took">{durationMs.toFixed(2)} ms</Fact>
        <Fact name="error">{error !== null && <span class="bad">{error.message}</span>}</Fact>
      </dl>
      {event !== null && <JsonTree value={event} name="event" />}
    </Panel>
  );
}
