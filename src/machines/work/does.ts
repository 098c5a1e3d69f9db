/** The ways in which an agent's work is done, as data. What does the work is chosen by the host. */
import { z } from 'zod';

/** Work by a function of the host's module. */
export const functionWork = z.object({ kind: z.literal('function'), name: z.string().min(1).max(200) });

/** Work by a shell command. */
export const commandWork = z.object({ kind: z.literal('command'), run: z.string().min(1).max(100_000) });
