/** System ids of the agents that answer questions. */
export const ANSWER_DESKS = {
  /** The answer desk, which takes questions, remembers answers and tells of corrections. */
  answers: 'answers',
  /** Boss of one actor per question that is not settled. */
  openQuestions: 'open-questions',
} as const;
