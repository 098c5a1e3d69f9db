/** Selects one of the kept turns: a slider over all of them, buttons to the neighbouring ones, and a list. */
import { useEffect, useRef } from 'preact/hooks';
import { stateText } from '../format.ts';
import { type HistoryStep, titleOf } from './history.ts';

interface StepPickerProps {
  readonly steps: readonly HistoryStep[];
  readonly place: number;
  /** Called with the number of the turn; undefined to follow the newest. */
  readonly onPick: (number: number | undefined) => void;
}

export function StepPicker({ steps, place, onPick }: StepPickerProps) {
  const pick = (at: number) => onPick(steps[at]?.number);
  const last = steps.length - 1;
  const step = steps[place]!;
  const words = `Turn ${place + 1} of ${steps.length}: ${titleOf(step)}, ${stateText(step.value)}`;
  return (
    <section class="sheet" aria-labelledby="steps-title">
      <div class="row sheet-head">
        <h2 id="steps-title">Kept turns</h2>
        <p class="quiet" data-testid="step">
          {words}
        </p>
      </div>
      <div class="slider">
        <button type="button" class="small" disabled={place === 0} onClick={() => pick(place - 1)}>
          Earlier
        </button>
        <input
          type="range"
          aria-label="Turn"
          min={0}
          max={last}
          step={1}
          value={place}
          aria-valuetext={words}
          onInput={(event) => pick(Number(event.currentTarget.value))}
        />
        <button type="button" class="small" disabled={place === last} onClick={() => pick(place + 1)}>
          Later
        </button>
        <button type="button" class="small" onClick={() => onPick(undefined)}>
          Newest
        </button>
      </div>
      <List steps={steps} place={place} onPick={onPick} />
    </section>
  );
}

function List({ steps, place, onPick }: StepPickerProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const at = list.current?.children[place] as HTMLElement | undefined;
    // Not scrollIntoView, which would scroll the page too.
    if (at !== undefined) list.current!.scrollTop = at.offsetTop - list.current!.clientHeight / 2;
  }, [place, steps.length]);
  return (
    <ol class="steps" ref={list} aria-label="Kept turns">
      {steps.map((step, index) => (
        <li key={step.number}>
          <button
            type="button"
            class={step.kind === 'failed' ? 'bad' : undefined}
            aria-current={index === place ? 'step' : undefined}
            onClick={() => onPick(step.number)}
          >
            <span class="number">{step.number}</span> <span>{titleOf(step)}</span>{' '}
            <span class="value">{stateText(step.value)}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}
