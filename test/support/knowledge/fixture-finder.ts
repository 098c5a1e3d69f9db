/** A finder over a fixture, in this thread: what a search thread does, without the thread. */
import { documentOf } from '../../../src/knowledge/document.ts';
import { Finder } from '../../../src/knowledge/finder.ts';
import { hasSecretName, withoutSecretLines } from '../../../src/knowledge/secrets.ts';
import { filesOf } from './fixture-repositories.ts';

export function finderOver(scope: string, text: string): Finder {
  const finder = new Finder();
  for (const [path, content] of filesOf(text))
    if (!hasSecretName(path)) finder.put(scope, documentOf(path, withoutSecretLines(content).text));
  return finder;
}
