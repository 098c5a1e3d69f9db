/** Random machines behave under Bosun as under createActor: the half with even seeds (half.ts, differential.ts). */
import { describe } from 'vitest';
import { fuzzHalf } from '../support/fuzz/half.ts';

describe('a random machine behaves under Bosun as under createActor', () => fuzzHalf('even'));
