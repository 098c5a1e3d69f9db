/**
 * The interactions of an actor and all actors below it, with each other and with the outside: their latest turns as a
 * live sequence diagram.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ActorLink } from '../actor-link.tsx';
import { ActorTabs } from '../actor/actor-tabs.tsx';
import { counted } from '../format.ts';
import { say } from '../notices.tsx';
import { Looking, Panel } from '../sheet.tsx';
import { LaneHeads, SequenceDrawing } from './sequence-drawing.tsx';
import { LANE_WIDTH, layoutOf } from './sequence-layout.ts';
import { mermaidOf, type Sequence, sequenceOf } from './sequence.ts';
import { TurnSheet } from './turn-sheet.tsx';
import { type TurnWindow } from './turn-window.ts';
import { useTurns } from './use-turns.ts';

export function SequenceView({ rest: address }: { readonly rest: string }) {
  const { window: seen, error } = useTurns(address);
  const sequence = useMemo(() => sequenceOf(seen?.turns ?? []), [seen]);
  return (
    <article class="actor" aria-labelledby="sequence-title">
      <header class="actor-head">
        <h1 id="sequence-title" class="mono">
          {address}
        </h1>
        <ActorTabs address={address} current="sequence" />
      </header>
      {(seen === undefined || error !== undefined) && <Looking error={error} />}
      {seen?.turns.length === 0 && (
        <p class="empty">
          None of the last 10,000 turns of the system was taken here. New ones are shown as they are taken.
        </p>
      )}
      {seen !== undefined && seen.turns.length > 0 && <Diagram key={address} seen={seen} sequence={sequence} />}
    </article>
  );
}

interface DiagramProps {
  readonly seen: TurnWindow;
  readonly sequence: Sequence;
}

function Diagram({ seen, sequence }: DiagramProps) {
  const layout = useMemo(
    () => layoutOf(sequence, new Map(seen.turns.map(({ number, atMs }) => [number, atMs]))),
    [sequence],
  );
  const [picked, setPicked] = useState<string | undefined>(undefined);
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    // With many lanes, the last turn may be far to the right. Later turns do not scroll sideways.
    const left = layout.rows.at(-1)?.left ?? 0;
    if (frame.current !== null && left > frame.current.clientWidth - LANE_WIDTH)
      frame.current.scrollLeft = left - LANE_WIDTH;
  }, []);
  useEffect(() => {
    // A user who has scrolled up is reading.
    if (isAtEnd.current && frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight;
  }, [layout]);
  const scrolled = ({
    currentTarget: { scrollTop, scrollHeight, clientHeight },
  }: {
    readonly currentTarget: HTMLElement;
  }) => {
    isAtEnd.current = scrollTop + clientHeight > scrollHeight - 24;
  };
  const row = layout.rows.find(({ key }) => key === picked);
  return (
    <div class="columns">
      <div class="wide">
        <section class="sheet" aria-labelledby="diagram-title">
          <div class="row sheet-head">
            <h2 id="diagram-title">Sequence</h2>
            <p class="quiet" data-testid="turns">
              {countOf(seen)}
            </p>
            <button type="button" class="small" onClick={() => void copyMermaid(sequence)}>
              Copy as Mermaid
            </button>
          </div>
          <div class="sequence-frame" ref={frame} onScroll={scrolled}>
            <LaneHeads layout={layout} />
            <SequenceDrawing layout={layout} picked={row} onPick={setPicked} />
          </div>
          <Legend />
        </section>
      </div>
      <div class="narrow">
        {row === undefined ? (
          <Panel id="turn" title="Turn">
            <p class="quiet">None is chosen.</p>
          </Panel>
        ) : (
          <TurnSheet key={row.key} row={row} layout={layout} turns={seen.turns} onPick={setPicked} />
        )}
        <Lanes sequence={sequence} />
      </div>
    </div>
  );
}

function Legend() {
  return (
    <p class="row legend">
      <span>
        <code aria-hidden="true">──▸</code> sent and taken
      </span>
      <span>
        <code aria-hidden="true">╌╌▸</code> sent for later
      </span>
      <span class="bad">
        <code aria-hidden="true">──✕</code> the turn failed
      </span>
      <span>Click a turn, or go through them with the arrow keys.</span>
    </p>
  );
}

function countOf({ turns, earlier, isAtLeast }: TurnWindow): string {
  if (earlier === 0) return counted(turns.length, 'turn');
  return `the last ${turns.length} turns; ${isAtLeast ? 'more than ' : ''}${counted(earlier, 'earlier one')} not shown`;
}

function Lanes({ sequence: { lanes } }: { readonly sequence: Sequence }) {
  return (
    <Panel id="lanes" title="Who takes part">
      <ul class="plain lanes">
        {lanes.map(({ address, agent }) => (
          <li key={address ?? ''} class="split">
            <ActorLink address={address} none={<span class="quiet">outside</span>} />
            <span class="agent">{agent}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

async function copyMermaid(sequence: Sequence): Promise<void> {
  try {
    await navigator.clipboard.writeText(mermaidOf(sequence));
    say('Copied the sequence as Mermaid.');
  } catch {
    say('This browser does not let the page copy.');
  }
}
