/**
 * Refuses a Node, XState or zod that is too old, in words, before any other module fails on a feature that it lacks.
 * Every entry point for Node imports this file first, and only for that effect.
 */
import { BosunError } from './errors.ts';
import { problemOfVersions, versionsHere } from './needed-versions.ts';

const problem = problemOfVersions(versionsHere());
if (problem !== undefined) throw new BosunError('BOSUN_RUNTIME_UNFIT', problem);
