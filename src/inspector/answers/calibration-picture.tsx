/** The picture of the desk's calibration: how sure the team was of its answers, and how many of these proved right. */
import { Panel } from '../sheet.tsx';
import { type DeskFigures } from './answer-shapes.ts';
import { accuracyText, barsOf, barText, OUTCOMES_ENOUGH } from './calibration.ts';

/** Sizes in the drawing's own units: a plot of 100 by 10 bars, with its labels. */
const HIGH = 120;
const WIDE = 29;
const LEFT = 42;
const TOP = 8;
const FOOT = TOP + HIGH;

const yOf = (share: number) => FOOT - HIGH * share;

export function Calibration({ bins, figures }: Pick<DeskFigures, 'bins' | 'figures'>) {
  const bars = barsOf(bins);
  const judged = bars.filter(({ used }) => used > 0);
  if (judged.length === 0)
    return (
      <Panel id="calibration" title="Calibration">
        <p class="empty">No answer of the team has been judged yet: “Was right” is on the page of each.</p>
      </Panel>
    );
  return (
    <Panel id="calibration" title="Calibration">
      <svg class="calibration" viewBox="0 0 344 166" role="img" aria-label={judged.map(barText).join('; ')}>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line x1={LEFT} x2={LEFT + bars.length * WIDE} y1={yOf(share)} y2={yOf(share)} />
            <text x={LEFT - 5} y={yOf(share) + 4} text-anchor="end">
              {100 * share} %
            </text>
          </g>
        ))}
        {bars.map(({ from, used, share, said, isWeak }, at) => {
          const x = LEFT + at * WIDE;
          return (
            <g key={from}>
              {used > 0 && (
                <>
                  <rect
                    class={isWeak ? 'weak' : ''}
                    x={x + 7}
                    y={yOf(share) - 1}
                    width={15}
                    height={HIGH * share + 1}
                  />
                  <text class="used" x={x + WIDE / 2} y={FOOT + 15} text-anchor="middle">
                    {used}
                  </text>
                </>
              )}
              <line class="said" x1={x + 1} x2={x + WIDE - 1} y1={yOf(said)} y2={yOf(said)} />
              <Edge x={x} percent={from} />
            </g>
          );
        })}
        <Edge x={LEFT + bars.length * WIDE} percent={100} />
      </svg>
      <p class="quiet">
        Bar: the share that proved right of the answers of which the team was so sure, before calibration. Line: as
        said. Below a bar: its outcomes. With fewer than {OUTCOMES_ENOUGH} it is pale, and raises no answer over a
        threshold.
      </p>
      <p>{accuracyText(figures)}</p>
    </Panel>
  );
}

/** The bound of a tenth on the scale. */
function Edge({ x, percent }: { readonly x: number; readonly percent: number }) {
  return (
    <text x={x} y={FOOT + 33} text-anchor="middle">
      {percent}
    </text>
  );
}
