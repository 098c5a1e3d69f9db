/** Events that reached nobody or were put aside, with the reason, and orders to redeliver or discard them. */
import { useState } from 'preact/hooks';
import { ActorLink } from '../actor-link.tsx';
import { ErrorBox, JsonTree } from '../actor/json-tree.tsx';
import { ReasonField } from '../actor/order-bar.tsx';
import { Dialog, gatewayPlace } from '../dialog.tsx';
import { counted, moment } from '../format.ts';
import { call, principal } from '../link.ts';
import { say } from '../notices.tsx';
import { Looking, Sheet } from '../sheet.tsx';
import { Signed } from '../signed.tsx';
import { kernelMs } from '../time.ts';
import { letterTwin } from '../twins.ts';
import { useTopic } from '../use.ts';
import type { DeadLetterView } from '../../gateway/protocol/views.ts';

type Open = { readonly letter: DeadLetterView; readonly order: 'redeliver' | 'discard' };

export function DeadLettersView() {
  const { view, error } = useTopic<{ readonly letters: readonly DeadLetterView[] }>('dead-letters');
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const letters = view?.letters ?? [];
  return (
    <Sheet
      id="letters"
      title="Dead letters"
      lead={view !== undefined && <p class="quiet">{counted(letters.length, 'letter')}</p>}
    >
      {view === undefined && <Looking error={error} />}
      {view !== undefined && letters.length === 0 && <p class="empty">None. Every event has reached its receiver.</p>}
      <ol class="letters">
        {letters.map((letter) => (
          <Letter key={letter.number} letter={letter} onOrder={(order) => setOpen({ letter, order })} />
        ))}
      </ol>
      {open !== undefined && (
        <LetterDialog key={`${open.letter.number} ${open.order}`} {...open} onClose={() => setOpen(undefined)} />
      )}
    </Sheet>
  );
}

interface LetterProps {
  readonly letter: DeadLetterView;
  readonly onOrder: (order: Open['order']) => void;
}

function Letter({ letter, onOrder }: LetterProps) {
  const { number, reason, address, atMs, event, error, action } = letter;
  const who = principal.value;
  const mayOrder = who?.scopes.includes('actor:admin') === true;
  return (
    <li data-letter={number}>
      <div class="split">
        <h2>
          <code>{action?.name ?? event.type}</code> <span class="quiet">to</span> <ActorLink address={address} />
        </h2>
        <span class="quiet">{moment(atMs, kernelMs())}</span>
      </div>
      <p>
        <Signed kind="standing warn" sign={'\u25b2'}>
          {reason}
        </Signed>{' '}
        <span class="quiet">number {number}</span>
      </p>
      {error !== null && <ErrorBox error={error} />}
      <JsonTree value={action === null ? event : action} name={action === null ? 'event' : 'action'} />
      {mayOrder && (
        <div class="row">
          <button type="button" onClick={() => onOrder('redeliver')}>
            Redeliver…
          </button>
          {who.mayDestroy && (
            <button type="button" class="quiet-danger" onClick={() => onOrder('discard')}>
              Discard…
            </button>
          )}
        </div>
      )}
    </li>
  );
}

function LetterDialog({ letter, order, onClose }: Open & { readonly onClose: () => void }) {
  const { number, event, address, action } = letter;
  const before = JSON.stringify(event, null, 2);
  const [text, setText] = useState(before);
  const [reason, setReason] = useState('');
  const edited = text === before || order === 'discard' || action !== null ? undefined : parsed(text);
  const isWrong = order === 'redeliver' && parsed(text) === undefined;
  const act = async () => {
    await call(`deadletter.${order}`, {
      number,
      ...(edited !== undefined && { event: edited }),
      ...(reason !== '' && { reason }),
    });
    say(
      order === 'redeliver'
        ? `Dead letter ${number} is in the mailbox of ${address}.`
        : `Dead letter ${number} is discarded.`,
    );
  };
  const title = order === 'redeliver' ? `Redeliver to ${address}` : `Discard dead letter ${number}`;
  return (
    <Dialog
      title={title}
      verb={order === 'redeliver' ? 'Redeliver' : 'Discard'}
      isDangerous={order === 'discard'}
      obstacle={isWrong ? 'the event is not JSON with a type' : undefined}
      twin={letterTwin(gatewayPlace(), { order, number, event: edited, reason })}
      act={act}
      onClose={onClose}
    >
      <p class="quiet">
        {order === 'redeliver'
          ? 'It goes to the end of the mailbox, as it is or as you edit it.'
          : 'It is removed for good.'}
      </p>
      {order === 'redeliver' && action === null && (
        <label class="field">
          Event
          <textarea
            name="event"
            rows={Math.min(12, before.split('\n').length + 1)}
            spellcheck={false}
            value={text}
            onInput={(input) => setText(input.currentTarget.value)}
          />
        </label>
      )}
      <ReasonField reason={reason} onReason={setReason} />
    </Dialog>
  );
}

/** The event in a text; undefined if the text is not an event. */
function parsed(text: string): { readonly type: string } | undefined {
  try {
    const value = JSON.parse(text) as { readonly type?: unknown } | null;
    return typeof value?.type === 'string' ? (value as { type: string }) : undefined;
  } catch {
    return undefined;
  }
}
