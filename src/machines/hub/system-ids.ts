/** System ids of the agents that run hubs and spokes. */
export const HUB_DESKS = {
  /** The hub desk, which starts runs of hubs and lists them. */
  hubs: 'hubs',
  /** Boss of one actor per run that is not over. */
  openHubs: 'open-hubs',
  /** Boss of one actor per work plan. */
  workPlans: 'work-plans',
  /** Boss of one actor per session of a spoke. */
  spokes: 'spokes',
} as const;
