/** One turn of a sequence in full: its event and sender, its effects, and its actor before and after it. */
import { type ComponentChildren } from 'preact';
import { ActorLink } from '../actor-link.tsx';
import { Edges, Fact } from '../actor/facts.tsx';
import { JsonTree } from '../actor/json-tree.tsx';
import { duration, moment, stateText } from '../format.ts';
import { hrefOf } from '../route.ts';
import { Panel } from '../sheet.tsx';
import { kernelMs } from '../time.ts';
import { useAnswer } from '../use.ts';
import { type Around, aroundOf } from './around.ts';
import { ChangesTable } from './changes-table.tsx';
import { titleOf } from './history.ts';
import { type SequenceLayout, type PlacedRow } from './sequence-layout.ts';
import type { KeptTurnView, SentView, TurnView } from '../../gateway/protocol/views.ts';

/** Number of kept turns among which the turn is searched. */
const KEPT_ASKED_MAX = 1_000;

/** Interval of loading. It is long, because a past turn does not change. */
const ASKED_EVERY_MS = 60_000;

interface TurnSheetProps {
  readonly row: PlacedRow;
  readonly layout: SequenceLayout;
  readonly turns: readonly TurnView[];
  readonly onPick: (key: string) => void;
}

export function TurnSheet({ row: { row, spoken }, layout: { rows }, turns, onPick }: TurnSheetProps) {
  const sender = row.kind === 'break' || row.sentAt === null ? undefined : rows[row.sentAt];
  const toSender = sender !== undefined && (
    <button type="button" class="link" onClick={() => onPick(sender.key)}>
      the turn that sent it
    </button>
  );
  if (row.kind === 'pending') {
    return (
      <Panel id="turn" title={row.label}>
        <p>{spoken}: it is not due yet, or was cancelled.</p>
        {toSender}
      </Panel>
    );
  }
  const turn = turns.find(({ number }) => number === row.turn);
  return turn === undefined ? null : <TurnRecord turn={turn} turns={turns} toSender={toSender} />;
}

interface TurnRecordProps {
  readonly turn: TurnView;
  readonly turns: readonly TurnView[];
  readonly toSender: ComponentChildren;
}

function TurnRecord({ turn, turns, toSender }: TurnRecordProps) {
  const { address } = turn;
  const { result } = useAnswer<{ readonly turns: readonly KeptTurnView[] }>(
    'actor.history',
    { address, limit: KEPT_ASKED_MAX },
    ASKED_EVERY_MS,
  );
  const around = aroundOf(turn, { turns, kept: result?.turns ?? [] });
  const { event } = around.kept ?? turn;
  return (
    <>
      <Panel id="turn" title={titleOf(turn)}>
        <Record turn={turn} valueBefore={around.valueBefore} toSender={toSender} />
        {event !== null && <JsonTree value={event} name="event" />}
        {around.kept !== undefined && (
          <p>
            <a href={hrefOf('history', address, { turn: String(around.kept.number) })}>The actor as it was then</a>
          </p>
        )}
      </Panel>
      <Sent sent={turn.sent} />
      <Changed turn={turn} around={around} />
    </>
  );
}

interface RecordProps {
  readonly turn: TurnView;
  readonly valueBefore: unknown;
  readonly toSender: ComponentChildren;
}

function Record({ turn, valueBefore, toSender }: RecordProps) {
  const { address, atMs, cause, durationMs, error, event, kind, microsteps, number, status, value } = turn;
  return (
    <dl class="facts">
      <Fact name="by">
        <ActorLink address={address} />
      </Fact>
      {event !== null && (
        <Fact name="from">
          <ActorLink address={cause?.address ?? null} none="outside" /> {toSender}
        </Fact>
      )}
      {stateText(value) !== '' && (
        <Fact name="state">
          {stateText(valueBefore) !== '' && `${stateText(valueBefore)} \u2192 `}
          {stateText(value)}
        </Fact>
      )}
      <Fact name="turn">
        {number}, {kind}, {status}
      </Fact>
      <Fact name="at">
        {moment(atMs, kernelMs())}, took {durationMs.toFixed(2)} ms
      </Fact>
      <Edges edges={microsteps.flat().map(({ edge }) => edge)} />
      <Fact name="error">{error !== null && <span class="bad">{error.message}</span>}</Fact>
    </dl>
  );
}

function Sent({ sent }: { readonly sent: readonly SentView[] }) {
  if (sent.length === 0) return null;
  return (
    <Panel id="sent" title="Sent">
      <ul class="plain">
        {sent.map(({ to, event, delayMs }, index) => (
          <li key={index} class="split">
            <span>
              <code>{event?.type ?? 'something'}</code> to{' '}
              <span class="mono">{to === null ? 'one not shown to you' : to === '' ? 'nobody' : to}</span>
            </span>
            {delayMs !== null && <span class="number">after {duration(delayMs)}</span>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface ChangedProps {
  readonly turn: TurnView;
  readonly around: Around;
}

function Changed({ turn: { change }, around: { changes, kept } }: ChangedProps) {
  const known = change === null ? undefined : (change.context ?? change.set);
  return (
    <Panel id="changes" title="What it changed">
      {changes === null && known !== undefined ? (
        <JsonTree value={known} name={change?.context === undefined ? 'set' : 'context'} />
      ) : (
        <ChangesTable changes={changes} why="Not known: its agent keeps no such turn." />
      )}
      {changes === null && change?.unset !== undefined && change.unset.length > 0 && (
        <p>
          Removed: <code>{change.unset.join(', ')}</code>
        </p>
      )}
      {kept !== undefined && <JsonTree value={kept.context} name="context after it" />}
    </Panel>
  );
}
