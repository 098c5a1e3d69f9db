/** A tree view of JSON, folded below the first level. Values withheld by the gateway are shown as a lock. */
import { useState } from 'preact/hooks';
import { ActorLink } from '../actor-link.tsx';
import { brief, errorText } from '../format.ts';

/** The gateway's replacement for values that schemas mark as secret; see docs/protocol.md. */
const SECRET = '[secret]';

/** Entries of one value that are shown at once. */
const SHOWN_MAX = 100;

interface NodeProps {
  readonly value: unknown;
  readonly name: string;
  readonly depth?: number;
}

export function JsonTree({ value, name }: NodeProps) {
  return (
    <div class="json">
      <Node value={value} name={name} />
    </div>
  );
}

function Node({ value, name, depth = 0 }: NodeProps) {
  const [isOpen, setIsOpen] = useState(depth === 0);
  if (typeof value !== 'object' || value === null) return <Leaf value={value} name={name} />;
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  const { actor } = value as { readonly actor?: unknown };
  if (typeof actor === 'string' && entries.length === 1) return <Leaf value={value} name={name} />;
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <span class="key">{name}</span>{' '}
        <span class="quiet">{isList ? `[${entries.length}]` : `{${entries.length}}`}</span>
        {!isOpen && <span class="preview"> {brief(JSON.stringify(value))}</span>}
      </summary>
      {isOpen && <Entries entries={entries} depth={depth} />}
    </details>
  );
}

interface EntriesProps {
  readonly entries: readonly (readonly [string, unknown])[];
  readonly depth: number;
}

function Entries({ entries, depth }: EntriesProps) {
  const [shown, setShown] = useState(SHOWN_MAX);
  return (
    <ul>
      {entries.slice(0, shown).map(([key, item]) => (
        <li key={key}>
          <Node value={item} name={key} depth={depth + 1} />
        </li>
      ))}
      {entries.length > shown && (
        <li>
          <button type="button" class="link" onClick={() => setShown(shown + SHOWN_MAX)}>
            {entries.length - shown} more
          </button>
        </li>
      )}
    </ul>
  );
}

function Leaf({ value, name }: NodeProps) {
  return (
    <span class="leaf-line">
      <span class="key">{name}</span> <Value value={value} />
    </span>
  );
}

/** A value without entries. */
export function Value({ value }: { readonly value: unknown }) {
  if (value === SECRET) return <Lock />;
  if (typeof value === 'string') return <span class="text">{JSON.stringify(value)}</span>;
  const { actor } = (typeof value === 'object' && value !== null ? value : {}) as { readonly actor?: unknown };
  if (typeof actor === 'string') return <ActorLink address={actor} />;
  return <span class="literal">{String(value)}</span>;
}

function Lock() {
  return (
    <span class="secret" title="Marked as secret: not shown">
      <svg viewBox="0 0 12 12" width="11" height="11" aria-hidden="true">
        <rect x="2" y="5" width="8" height="6" rx="1.2" fill="currentColor" />
        <path d="M4 5V3.6a2 2 0 0 1 4 0V5" fill="none" stroke="currentColor" stroke-width="1.3" />
      </svg>{' '}
      secret
    </span>
  );
}

/** An error on one line, which can be expanded. */
export function ErrorBox({ error }: { readonly error: unknown }) {
  const { stack, code } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly stack?: unknown;
    readonly code?: unknown;
  };
  return (
    <details class="error-box">
      <summary>
        {typeof code === 'string' && <code>{code}</code>} {errorText(error)}
      </summary>
      {typeof stack === 'string' ? <pre tabIndex={0}>{stack}</pre> : <JsonTree value={error} name="error" />}
    </details>
  );
}
