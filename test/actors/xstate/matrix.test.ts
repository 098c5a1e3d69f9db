/** The features of docs/xstate-support.md, run under createActor and on the kernel, there also with power cuts. */
import { describe, expect, it } from 'vitest';
import { sample } from '../../support/effort.ts';
import { judge, VIEWS } from '../../support/actors/xstate/feature.ts';
import { GROUPS } from '../../support/actors/xstate/page.ts';

describe.each(GROUPS)('$title', ({ rows }) => {
  it.each(sample(rows, 6))('$id: $feature.feature', async ({ feature }) => {
    const { plain, hosted, cut } = await judge(feature);
    expect(plain).toMatchObject(feature.shows);
    if (feature.order !== undefined) expect(linesOf('subject', plain)).toEqual(feature.order);
    if (feature.differs === undefined) expect(VIEWS.perActor(hosted)).toEqual(VIEWS.perActor(plain));
    else {
      expect(hosted).toMatchObject(feature.differs.shows);
      expect(VIEWS.perActor(hosted)).not.toEqual(VIEWS.perActor(plain));
    }
    const seen = VIEWS[feature.restored === 'again' ? 'end' : 'perActor'];
    for (const one of cut) expect(seen(one)).toEqual(seen(hosted));
  });
});

function linesOf(actor: string, { lines }: { lines: readonly (readonly [string, string])[] }): string[] {
  return lines.filter(([who]) => who === actor).map(([, line]) => line);
}
