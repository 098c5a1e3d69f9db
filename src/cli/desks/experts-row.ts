/** `bosun experts`: lists who decides debates, with their loads, and takes an expert out of them or back in. */
import { DESKS } from '../../machines/desks.ts';
import { loadText } from '../../machines/coordination/debates/routing.ts';
import { debatesIn } from '../../machines/coordination/debates/debate-facilitator.ts';
import { type FacilitatorContext } from '../../machines/coordination/debates/facilitator-context.ts';
import { didYouMean } from '../../near-names.ts';
import { type DeskRow, type Ordered } from './desk-row.ts';
import { type DeskView, found } from './desk-view.ts';

interface Expert {
  /** The name. */
  readonly id: string;
  readonly isAvailable: boolean;
  /** Ids of the debates that the expert is to decide. */
  readonly debates: readonly string[];
}

export const EXPERTS: DeskRow<Expert> = {
  none: 'no experts: what agents cannot settle gets the cautious value, which people review',
  records: expertsOf,
  find: async (view, name) => {
    const experts = await expertsOf(view);
    const names = experts.map(({ id }) => id);
    return found(experts, name, `no expert "${name}"${didYouMean(name, names) || '; bosun experts list shows them'}`);
  },
  cells: ({ id, isAvailable, debates }) => ({
    NAME: id,
    STATUS: statusOf(isAvailable),
    LOAD: loadText(debates.length),
    DEBATES: debates.join(', ') || null,
  }),
  facts: ({ id, isAvailable, debates }) => [
    ['expert', id],
    ['status', statusOf(isAvailable)],
    ['load', loadText(debates.length)],
    ['debates', debates.join(', ') || null],
  ],
  orders: {
    away: (expert) =>
      ordered(expert, 'expert.unavailable', 'away; debates go to the others, or get the cautious value'),
    back: (expert) => ordered(expert, 'expert.available', 'back'),
  },
};

async function expertsOf(view: DeskView): Promise<readonly Expert[]> {
  const desk = await view.look<FacilitatorContext>(DESKS.debates);
  if (desk === undefined) return [];
  const waiting = debatesIn(desk.context).filter(({ level, isOver }) => level === 'L3' && !isOver);
  return Object.entries(desk.context.experts).map(([id, { isAvailable }]) => ({
    id,
    isAvailable,
    debates: waiting.filter(({ expert }) => expert === id).map((debate) => debate.id),
  }));
}

function statusOf(isAvailable: boolean): string {
  return isAvailable ? 'available' : 'away';
}

function ordered({ id: expert }: Expert, type: string, said: string): Ordered {
  return { desk: DESKS.debates, event: { type, expert }, said: `${expert}: ${said}` };
}
