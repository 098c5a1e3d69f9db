/** A start of an effect is ignored once a later start has taken its place (design P7). */
import { fromCallback, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { effectOf } from '../../../src/actors/model/ref.ts';
import { SECOND, startDeclared } from '../../support/actors/declared.ts';
import { tell, valueOf } from '../../support/actors/subject.ts';

describe('an effect that is started again at once', () => {
  it('counts one failure, however often its previous start reports one', async () => {
    const starts: number[] = [];
    const logic = fromCallback(({ receive, self }) => {
      starts.push(effectOf(self).attempt);
      receive(() => {
        throw new Error('no');
      });
    });
    const toCall = sendTo('call', { type: 'X' });
    const machine = setup({ actors: { logic } }).createMachine({
      initial: 'calling',
      states: { calling: { invoke: { src: 'logic', id: 'call', onError: 'left' } }, left: {} },
      on: { TWICE: { actions: [toCall, toCall] } },
    });
    const test = await startDeclared(machine, {
      effects: { logic: { retry: { attempts: 3, backoff: { ...SECOND, minMs: 0, maxMs: 0 } } } },
      events: ['TWICE'],
    });
    await tell(test, 'TWICE');
    await tell(test, 'TWICE');
    expect([starts, valueOf(test)]).toEqual([[1, 2, 3], 'calling']);
    await tell(test, 'TWICE');
    expect([starts, valueOf(test)]).toEqual([[1, 2, 3], 'left']);
    await test.shard.stop();
  });
});
