/**
 * The page of one session: what it was told, what its command printed, what it said when it handed off beside what was
 * found out, refusals, and its end. Texts of sessions are data.
 */
import type { FoundRecords } from '../../gateway/protocol/record-view.ts';
import type { LineageEntry } from '../../machines/hub/handoff.ts';
import type { PlanLogEntry } from '../../machines/hub/plan-log.ts';
import type { SessionEntry, SessionOutput, SessionPrompt } from '../../machines/hub/session-records.ts';
import { Nowhere, type RecordProps } from '../desks/desk-page.tsx';
import { type RunRow } from '../desks/desk-shapes.ts';
import { Readable } from '../desks/readable.tsx';
import { bytes, moment } from '../format.ts';
import { hrefOf } from '../route.ts';
import { Lines, Panel, RecordHead, Text, Unread } from '../sheet.tsx';
import { kernelMs } from '../time.ts';
import { useAnswer } from '../use.ts';
import { SessionFacts } from './lineage-tree.tsx';
import { Changes, Some } from './changes.tsx';
import { Questions } from './questions.tsx';
import { mismatchesIn, saidIn, verifiedIn } from './sessions.ts';
import { IDLE_MS, useOffered, usePlan } from './use-run.ts';

/** Interval of looking for refusals, which have no topic. */
const EVERY_MS = 2_000;

/** Interval of reading the output of a command that runs. */
const OUTPUT_EVERY_MS = 1_000;

/** Characters of the end of each stream that are shown. */
const OUTPUT_CHARS = 20_000;

/** Refusals of all runs among which those of the session are looked for. */
const REFUSALS_MAX = 1_000;

export function SessionPage({ row, desk, id }: RecordProps<RunRow> & { readonly id: string }) {
  const { open: all, context } = usePlan(row, desk);
  const open = all.find(({ session }) => session === id);
  const version = JSON.stringify(open) ?? '';
  const { value: closed, error } = useRecord<SessionEntry>('sessions', id, version);
  const { value: handoff } = useRecord<LineageEntry>('lineage', id, version);
  const { value: prompt } = useRecord<SessionPrompt>('prompts', id, version);
  if (closed === undefined || handoff === undefined || prompt === undefined || context === undefined)
    return <Unread title={id} error={error} />;
  const facts = closed ?? open;
  if (facts === undefined) return <Nowhere noun="session" id={id} kept="100,000" />;
  const { role, parent, step, startedAtMs } = facts;
  const of = { ...facts, closed: closed ?? undefined, handoff: handoff ?? undefined };
  const run = <a href={hrefOf('hubs', row.id)}>{row.id}</a>;
  return (
    <article class="actor" aria-labelledby="session-title">
      <RecordHead id="session" list="Hubs" crumb={[run, ' · ', id]} title={role}>
        <SessionFacts of={of} desk={desk}>
          <span>since {moment(startedAtMs, kernelMs())}</span>
          <span>by {parent === row.id ? run : <a href={hrefOf('hubs', `${row.id}/${parent}`)}>{parent}</a>}</span>
          {step !== null && <span>step {step}</span>}
        </SessionFacts>
        <p class="lines">{closed?.summary}</p>
      </RecordHead>
      {!row.isOver && <Questions row={row} />}
      {handoff === null ? (
        <p class="quiet">It has not handed off.</p>
      ) : (
        <div class="columns even">
          <Panel id="said" title={`Hand-off ${handoff.seq} to ${handoff.to}, as said`}>
            <Readable value={saidIn(handoff)} />
          </Panel>
          <Panel id="verified" title="As verified">
            <Some of={mismatchesIn(handoff)} kind="bad" />
            <Readable value={verifiedIn(handoff)} />
          </Panel>
        </div>
      )}
      <div class="columns even">
        <div class="wide">
          <Changes id={id} isOpen={closed === null} />
          <Output id={id} closed={closed} />
          <Refusals id={id} isOpen={closed === null} />
          <Lines id="artifacts" title="Artifacts" lines={closed?.artifacts} none="None are named." />
        </div>
        <Told prompt={prompt} />
      </div>
    </article>
  );
}

/** The record of a session; undefined until loaded, null if there is none. */
function useRecord<Value>(name: string, session: string, version: string) {
  const params = { agent: 'work-plan', name, key: 'session', value: session, newestFirst: true, limit: 1 };
  const { result, error } = useAnswer<FoundRecords>('record.find', params, IDLE_MS, version);
  return { value: result && ((result.records[0]?.value ?? null) as Value | null), error };
}

function Refusals({ id, isOpen }: { readonly id: string; readonly isOpen: boolean }) {
  const of = { agent: 'work-plan', name: 'log', key: 'kind', value: 'refused' };
  const params = { ...of, newestFirst: true, limit: REFUSALS_MAX };
  const { result } = useAnswer<FoundRecords>('record.find', params, isOpen ? EVERY_MS : IDLE_MS);
  const own = result?.records.map(({ value }) => value as PlanLogEntry).filter(({ session }) => session === id);
  const lines = own?.map(({ code, text, atMs }) => `${moment(atMs, kernelMs())} ${code ?? ''} · ${text}`);
  return <Lines id="refused" title="Refused" lines={lines} none="Nothing was refused." />;
}

/** The output of the session's command: from its host while that has it, otherwise what is on record. */
function Output({ id, closed }: { readonly id: string; readonly closed: SessionEntry | null }) {
  const params = { session: id, chars: OUTPUT_CHARS };
  const everyMs = closed === null && OUTPUT_EVERY_MS;
  const { result, isOffered } = useOffered<{ readonly output: SessionOutput | null }>(
    'session.output',
    params,
    everyMs,
  );
  const output = result?.output ?? closed?.output ?? null;
  const none = closed === null && !isOffered ? 'This host shows it when the session has closed.' : 'There is none.';
  return (
    <Panel id="output" title={output === null ? 'Output' : `Output of try ${output.round}`}>
      {output === null && <p class="quiet">{none}</p>}
      {output !== null &&
        (['stdout', 'stderr'] as const).map((name) => (
          <div key={name}>
            <p class="quiet">{`${name}, ${bytes(output[name].bytes)}`}</p>
            {output[name].tail !== '' && <Text name={name} text={output[name].tail} />}
          </div>
        ))}
    </Panel>
  );
}

function Told({ prompt }: { readonly prompt: SessionPrompt | null }) {
  return (
    <Panel id="prompt" title="Prompt">
      <Readable value={prompt && { 'may change': prompt.scope?.files, 'may make files in': prompt.scope?.newIn }} />
      {prompt !== null && <Text name="Prompt" text={prompt.prompt} />}
      {prompt?.isCut && <p class="quiet">The rest was not kept.</p>}
    </Panel>
  );
}
