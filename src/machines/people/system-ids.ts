/** System ids of the agents that ask and inform people. */
export const PEOPLE_DESKS = {
  /** The gate desk, which opens gates (questions to people) and takes answers. */
  gates: 'gates',
  /** Boss of one actor per open gate. */
  openGates: 'open-gates',
  /** The ticket desk, which numbers tickets (questions to people with a thread) and takes orders about them. */
  tickets: 'tickets',
  /** Boss of one actor per ticket that is not archived. */
  openTickets: 'open-tickets',
  /** The alert desk, which raises, repeats and closes alert cards. */
  alerts: 'alerts',
  /** Boss of one actor per alert card. */
  alertCards: 'alert-cards',
} as const;

/** System id of the desk that answers what people ask in tickets, if the system has one. */
export const ANSWERER = 'answers';
