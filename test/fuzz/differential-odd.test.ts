/** Random machines behave under Bosun as under createActor: the half with odd seeds (half.ts, differential.ts). */
import { describe } from 'vitest';
import { fuzzHalf } from '../support/fuzz/half.ts';

describe('a random machine behaves under Bosun as under createActor', () => fuzzHalf('odd'));
