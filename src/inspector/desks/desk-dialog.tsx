/** An order to a desk: what it means, what it needs, the same for a shell; and what the desk replied. */
import { useState } from 'preact/hooks';
import { FieldInput } from '../actor/event-dialog.tsx';
import { eventOf } from '../actor/schema-form.ts';
import { Dialog, gatewayOrigin } from '../dialog.tsx';
import { ask } from '../link.ts';
import { say } from '../notices.tsx';
import { kernelMs } from '../time.ts';
import { sendTwin } from '../twins.ts';
import { type DeskOrder, refusalOf } from './desk-orders.ts';
import { ownName, setOwnName } from './who.ts';

export function DeskDialog({ order, onClose }: { readonly order: DeskOrder; readonly onClose: () => void }) {
  const { title, verb, means, isDangerous = false, address, fields, done } = order;
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map(({ name, initial }) => [name, name === 'by' ? ownName.value : initial])),
  );
  const { problems } = eventOf('', fields, typed);
  const empty = fields.find(({ name, kind }) => kind === 'text' && (typed[name] ?? '').trim() === '');
  const wrong = Object.entries(problems)[0] ?? (empty === undefined ? undefined : [empty.name, 'is needed']);
  const event = order.eventOf(typed, kernelMs());
  const act = async () => {
    if (typed['by'] !== undefined) setOwnName(typed['by']);
    const refusal = refusalOf(await ask(address, event));
    if (refusal !== undefined) throw new Error(refusal);
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
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          text={typed[field.name] ?? ''}
          onText={(text) => setTyped({ ...typed, [field.name]: text })}
        />
      ))}
    </Dialog>
  );
}
