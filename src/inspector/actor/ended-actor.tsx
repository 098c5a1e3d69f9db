/** The page of an actor that has ended, and what became of it, while its result is kept. */
import type { RunView } from '../../gateway/protocol/run-view.ts';
import { duration, moment } from '../format.ts';
import { Panel } from '../sheet.tsx';
import { kernelMs } from '../time.ts';
import { BY_ENDING } from '../tree/status-badge.ts';
import { useAnswer } from '../use.ts';
import { ActorHead } from './actor-head.tsx';
import { Fact } from './facts.tsx';
import { ErrorBox, JsonTree } from './json-tree.tsx';
import { Records } from './records.tsx';

const EVERY_MS = 2_000;

/** The last actor that ended at an address; asked for only if none lives there. */
export function useEnded(address: string, isGone: boolean) {
  const { result, error } = useAnswer<{ readonly run: RunView | null }>(
    isGone ? 'run.get' : undefined,
    { address },
    EVERY_MS,
  );
  return { run: result?.run ?? undefined, error };
}

export function EndedActor({ run }: { readonly run: RunView }) {
  const { address, agent, status, records } = run;
  return (
    <article class="actor" aria-labelledby="actor-title">
      <ActorHead address={address} badge={BY_ENDING[status]} agent={agent} current="actor" hasEnded />
      <div class="columns even">
        <Outcome run={run} />
        <Records address={address} names={records} />
      </div>
    </article>
  );
}

/** How an actor ended, and when. */
export function Outcome({ run }: { readonly run: RunView }) {
  const { status, output, error, startedAtMs, endedAtMs, attempts, version, sequence, life } = run;
  const now = kernelMs();
  return (
    <Panel id="outcome" title="What became of it">
      {error !== null && <ErrorBox error={error} />}
      {status === 'done' && <JsonTree value={output} name="result" />}
      <dl class="facts">
        <Fact name="ended">
          {BY_ENDING[status].word}, {moment(endedAtMs, now)}
        </Fact>
        <Fact name="started">{startedAtMs === null ? 'unknown' : moment(startedAtMs, now)}</Fact>
        <Fact name="took">{startedAtMs !== null && duration(endedAtMs - startedAtMs)}</Fact>
        <Fact name="attempts">{attempts}</Fact>
        <Fact name="changes">{sequence}</Fact>
        <Fact name="version">{version}</Fact>
        <Fact name="life">{life}</Fact>
      </dl>
    </Panel>
  );
}
