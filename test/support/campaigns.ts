/**
 * Campaigns of simulations in tests, from seeds that follow from the run's. How many seeds a fault or a goal takes is
 * chance, so that both are searched for until they are met, within bounds that no honest run reaches.
 */
import { campaign, type CampaignOptions, type CampaignReport, type Simulation } from 'bosun/testing';
import { seedOf } from './chance.ts';
import { PATIENCE_MS } from './effort.ts';

/**
 * Seeds in which a planted fault or a goal is searched for. The rarest of them shows itself in one seed of fifty: a
 * hundred times as many miss it once in e^100 runs.
 */
const SEARCHED_MAX = 5_000;

/** Stories that are told in the search for a short one. */
const STORIES_MAX = 100;

/** Seeds of one more look for a goal that has not been met. */
const MORE = 10;

/** As many seeds as `count` says, from one on that follows from the run's seed and the name. */
export function seedsOf(name: string, count: number): readonly [from: number, to: number] {
  const from = seedOf(name);
  return [from, from + count - 1];
}

/** Searches for a seed in which a property fails. */
export async function findingIn<World>(
  simulation: Simulation<World>,
  name: string,
  options: CampaignOptions = {},
): Promise<CampaignReport> {
  return await campaign(simulation, { ...options, seeds: seedsOf(name, SEARCHED_MAX) });
}

/**
 * Searches for a failure with a short story. How far a story can be shrunk is chance too: at some seeds what the fault
 * needs is tied to what it does not need.
 *
 * @returns The report of the first short story, or of the last one.
 */
export async function shortStoryIn<World>(
  simulation: Simulation<World>,
  name: string,
  { steps, lines }: { readonly steps: number; readonly lines: number },
): Promise<CampaignReport> {
  let [from, to] = seedsOf(name, SEARCHED_MAX);
  for (let told = 1; ; told++) {
    const report = await campaign(simulation, { seeds: [from, to], shrinkMs: PATIENCE_MS });
    const { failure } = report;
    if (failure === undefined || told === STORIES_MAX) return report;
    if (failure.steps.shrunk <= steps && failure.story.length <= lines) return report;
    [from, to] = [failure.seed + 1, failure.seed + SEARCHED_MAX];
  }
}

/**
 * Runs a simulation with many seeds, and with more of them until each `sometimes` has been fulfilled.
 *
 * @param search.seeds Number of seeds that are run in any case.
 * @param search.faults Faults that have to occur as well.
 * @returns The report of the first seeds, with failure, goals and faults of all.
 */
export async function holdingIn<World>(
  simulation: Simulation<World>,
  name: string,
  search: { readonly seeds: number; readonly faults?: readonly string[] },
): Promise<CampaignReport> {
  const [from, to] = seedsOf(name, search.seeds);
  let report = await campaign(simulation, { seeds: [from, to] });
  const isOpen = ({ failure, neverMet, faults }: CampaignReport) =>
    failure === undefined && (neverMet.length > 0 || search.faults?.some((kind) => !(kind in faults)) === true);
  for (let next = to + 1; isOpen(report) && next <= to + SEARCHED_MAX; next += MORE) {
    const { failure, text, neverMet, faults } = await campaign(simulation, { seeds: [next, next + MORE - 1] });
    report = {
      ...report,
      neverMet: report.neverMet.filter((goal) => neverMet.includes(goal)),
      faults: { ...faults, ...report.faults },
      ...(failure !== undefined && { failure, text }),
    };
  }
  return report;
}
