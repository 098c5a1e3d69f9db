/** An order to a desk: what it means, what it needs, the same for a shell; and what the desk replied. */
import { useState } from 'preact/hooks';
import { FieldInputs } from '../actor/event-dialog.tsx';
import { eventOf, type Typed } from '../actor/schema-form.ts';
import { Dialog, gatewayOrigin } from '../dialog.tsx';
import { ask } from '../link.ts';
import { say } from '../notices.tsx';
import { kernelMs } from '../time.ts';
import { sendTwin } from '../twins.ts';
import { type DeskOrder, refusalOf } from './desk-orders.ts';
import { ownName, setOwnName } from './who.ts';

export function DeskDialog({ order, onClose }: { readonly order: DeskOrder; readonly onClose: () => void }) {
  const { title, verb, means, isDangerous = false, address, fields, done } = order;
  const [typed, setTyped] = useState<Typed>(() =>
    Object.fromEntries(fields.map(({ name, initial }) => [name, name === 'by' ? ownName.value : initial])),
  );
  const { problems } = eventOf('', fields, typed);
  const empty = fields.find(({ name, kind }) => kind === 'text' && (typed[name] ?? '').trim() === '');
  const wrong = Object.entries(problems)[0] ?? (empty === undefined ? undefined : [empty.name, 'is needed']);
  const event = order.eventOf(typed, kernelMs());
  const act = async () => {
    if (typed['by'] !== undefined) setOwnName(typed['by']);
    await give(address, event);
    say(done);
  };
  return (
    <Dialog
      title={title}
      verb={verb}
      isDangerous={isDangerous}
      twin={sendTwin(gatewayOrigin(), address, event)}
      obstacle={wrong?.join(' ')}
      act={act}
      onClose={onClose}
    >
      <p class="quiet">{means}</p>
      <FieldInputs fields={fields} typed={typed} onTyped={setTyped} />
    </Dialog>
  );
}

/** Gives a desk an order. Rejects with what keeps the desk from taking it. */
export async function give(desk: string, event: ReturnType<DeskOrder['eventOf']>): Promise<void> {
  const refusal = refusalOf(await ask(desk, event));
  if (refusal !== undefined) throw new Error(refusal);
}
