/** Changes of a session: the files that its host found changed, with their diff, live while it works. */
import type { SessionChanges } from '../../crew-hub-looks.ts';
import { counted } from '../format.ts';
import { Panel } from '../sheet.tsx';
import { diffLines } from './sessions.ts';
import { useOffered } from './use-run.ts';

/** Interval of looking at the changes of a session that works. */
const EVERY_MS = 2_000;

/** Characters of the diff that are shown. */
const CHARS = 50_000;

/** Files that are listed. */
const FILES_SHOWN = 100;

/** The changes of a session; nothing where its host does not look. */
export function Changes({ id, isOpen }: { readonly id: string; readonly isOpen: boolean }) {
  const params = { session: id, chars: CHARS };
  const { result } = useOffered<{ readonly changes: SessionChanges | null }>(
    'session.changes',
    params,
    isOpen && EVERY_MS,
  );
  const changes = result?.changes;
  if (!changes) return null;
  const { files, patch, isCut } = changes;
  return (
    <Panel id="changes" title="Changes" count={files.length}>
      <Some of={files.map(({ path, isNew, lines }) => `${path} ${described(isNew, lines)}`)} />
      {patch !== '' && (
        <pre class="prompt" tabIndex={0} aria-label="Diff">
          {diffLines(patch).map(([tone, line], at) => (
            <span key={at} class={tone}>{`${line}\n`}</span>
          ))}
        </pre>
      )}
      {isCut && <p class="quiet">The rest of the diff is not shown.</p>}
    </Panel>
  );
}

function described(isNew: boolean, lines: number | null): string {
  const size = lines === null ? 'no text' : counted(lines, 'line');
  return isNew ? `(new, ${size})` : `(${size})`;
}

/** The first of many lines. */
export function Some({ of, kind }: { readonly of: readonly string[]; readonly kind?: string }) {
  return (
    <ul class={kind}>
      {of.slice(0, FILES_SHOWN).map((line) => (
        <li key={line} class="said">
          {line}
        </li>
      ))}
      {of.length > FILES_SHOWN && <li>and more</li>}
    </ul>
  );
}
