/** All places where user code runs or a user's value is read, by what happens there. */
import { GIVEN_BY_MACHINES, GIVEN_ELSEWHERE } from './given.ts';
import { type Place } from './place.ts';
import { THROWN_ELSEWHERE, THROWN_IN_TURNS } from './thrown.ts';

export const PLACES: Readonly<Record<string, Place>> = {
  ...THROWN_IN_TURNS,
  ...THROWN_ELSEWHERE,
  ...GIVEN_BY_MACHINES,
  ...GIVEN_ELSEWHERE,
};
