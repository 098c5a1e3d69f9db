/** System ids of the agents that answer questions. */
import { ANSWERER } from '../people/system-ids.ts';

/** System id of the team that researches what the answer team cannot tell, if the system has one. */
export const RESEARCHER = 'researcher';

export const ANSWER_DESKS = {
  /** The answer desk, which takes questions, remembers answers and tells of corrections. */
  answers: ANSWERER,
  /** Boss of one actor per question that is not settled. */
  openQuestions: 'open-questions',
} as const;
