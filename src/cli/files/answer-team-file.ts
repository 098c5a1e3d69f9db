/**
 * The file with the settings of the answer team, `answer-team.yaml`: found in the folder that a desk answers about, or
 * named, and read into settings. Every key has its effect or is refused by its name (machines/answers/profile.ts).
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type AnswerProfile, answerProfile } from '../../machines/answers/profile.ts';
import { PROBLEMS_MAX } from '../../machines/coordination/plan/plan.ts';
import { rootOf } from '../default-data.ts';
import { explain, problemOf, readYaml } from './yaml-source.ts';

/** The places in a folder in which the file is looked for, in this order. */
const PLACES = ['answer-team.yaml', 'answer-team.yml', 'config/agents/answer-team.yaml'];

/** The folder that a desk answers about, and the file with its settings. */
export interface DeskFolder {
  /** Absolute path of the folder. */
  readonly path: string;
  /** The file as the user would write it; undefined if there is none. */
  readonly settings: string | undefined;
}

/** The folder and the settings that a person names by one path: of a folder, or of the file in its repository. */
export function deskFolder(named: string, cwd: string): DeskFolder {
  const path = resolve(cwd, named);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    return { path: rootOf(dirname(path)), settings: named };
  const place = PLACES.find((one) => existsSync(join(path, one)));
  return { path, settings: place === undefined ? undefined : join(named, place) };
}

/** Reads the settings; the defaults where there is no file. Rejects with BOSUN_CONFIG_INVALID, with line and column. */
export async function answerTeamOf({ settings }: DeskFolder, cwd: string): Promise<AnswerProfile> {
  if (settings === undefined) return answerProfile.parse({});
  const path = resolve(cwd, settings);
  const from = { file: settings, path, kind: 'settings file', code: 'BOSUN_CONFIG_INVALID' } as const;
  const { value, refuse } = await readYaml(from);
  const parsed = answerProfile.safeParse(value ?? {}, { error: explain });
  if (parsed.success) return parsed.data;
  throw refuse(parsed.error.issues.slice(0, PROBLEMS_MAX).map(problemOf));
}
