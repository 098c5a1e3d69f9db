/** The records of an actor, living or ended: names of its agent, each with its latest records, live. */
import { useState } from 'preact/hooks';
import type { InspectionView } from '../../gateway/protocol/views.ts';
import { counted, moment } from '../format.ts';
import { Looking, Panel } from '../sheet.tsx';
import { nowMs } from '../time.ts';
import { JsonTree } from './json-tree.tsx';
import { RECORDS_SHOWN, useRecords } from './use-records.ts';

/** Number of names up to which all are followed at once; with more, each is followed when it is opened. */
const OPEN_MAX = 4;

interface RecordsProps {
  readonly address: string;
  /** The names, and the range of stored numbers. */
  readonly names: InspectionView['records'] | undefined;
}

export function Records({ address, names = [] }: RecordsProps) {
  if (names.length === 0) return null;
  return (
    <Panel id="records" title="Records">
      {names.map(({ name, first, last }) => (
        <Named
          key={`${address}/${name}`}
          address={address}
          name={name}
          kept={last - first + 1}
          isOpenAtFirst={names.length <= OPEN_MAX}
        />
      ))}
    </Panel>
  );
}

interface NamedProps {
  readonly address: string;
  readonly name: string;
  readonly kept: number;
  readonly isOpenAtFirst: boolean;
}

function Named({ address, name, kept, isOpenAtFirst }: NamedProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <code>{name}</code> <span class="count">{kept}</span>
      </summary>
      {isOpen && <Last address={address} name={name} kept={kept} />}
    </details>
  );
}

function Last({ address, name, kept }: Pick<NamedProps, 'address' | 'name' | 'kept'>) {
  const { records, error } = useRecords(address, name);
  if (records === undefined) return <Looking error={error} />;
  if (records.length === 0) return <p class="quiet">None yet.</p>;
  const byTime = records.map(({ number, atMs, value }) => [`${number}, ${moment(atMs, nowMs())}`, value] as const);
  return (
    <>
      <JsonTree name="newest first" value={Object.fromEntries(byTime)} />
      {kept > RECORDS_SHOWN && (
        <p class="quiet">
          and {counted(kept - RECORDS_SHOWN, 'older one')}:{' '}
          <code>
            bosun records {address} {name}
          </code>
        </p>
      )}
    </>
  );
}
