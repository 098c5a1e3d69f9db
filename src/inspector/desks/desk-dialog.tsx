/** The dialog of an order to a desk: its meaning, its fields, the same order for a shell, and the desk's reply. */
import { useState } from 'preact/hooks';
import { FieldInputs } from '../actor/event-dialog.tsx';
import { eventOf, type Typed } from '../actor/schema-form.ts';
import { Dialog, gatewayPlace } from '../dialog.tsx';
import { ask } from '../link.ts';
import { say } from '../notices.tsx';
import { kernelMs } from '../time.ts';
import { Looking } from '../sheet.tsx';
import { sendTwin } from '../twins.ts';
import { useAnswer } from '../use.ts';
import { type DeskOrder, refusalOf } from './desk-orders.ts';
import { ownName, setOwnName } from './who.ts';

/** Interval at which a dialog asks again whom its order concerns. */
const CONCERNED_EVERY_MS = 5_000;

export function DeskDialog({ order, onClose }: { readonly order: DeskOrder; readonly onClose: () => void }) {
  const { title, verb, means, isDangerous = false, address, fields, done } = order;
  const [typed, setTyped] = useState<Typed>(() =>
    Object.fromEntries(fields.map(({ name, initial }) => [name, name === 'by' ? ownName.value : initial])),
  );
  const { problems } = eventOf('', fields, typed);
  const empty = fields.find(
    ({ name, kind, isRequired }) => isRequired && kind === 'text' && (typed[name] ?? '').trim() === '',
  );
  const wrong = Object.entries(problems)[0] ?? (empty === undefined ? undefined : [empty.name, 'is needed']);
  const concerned = useConcerned(order.concerns);
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
      twin={sendTwin(gatewayPlace(), address, event)}
      obstacle={wrong?.join(' ') ?? (concerned.isKnown ? undefined : 'Who is concerned is not known yet')}
      act={act}
      onClose={onClose}
    >
      <p class="quiet">{means}</p>
      {concerned.shown}
      <FieldInputs fields={fields} typed={typed} onTyped={setTyped} />
    </Dialog>
  );
}

/** Reads the people whom an order concerns from the gateway, again and again while the dialog is open. */
function useConcerned(concerns: DeskOrder['concerns']) {
  const { result, error } = useAnswer(concerns?.method, concerns?.params ?? {}, CONCERNED_EVERY_MS);
  if (concerns === undefined) return { isKnown: true, shown: null };
  const { title, nobody } = concerns;
  const lines = result === undefined ? [] : concerns.lines(result as never);
  const shown = (
    <section class="plain" aria-labelledby="concerned">
      <h3 id="concerned">
        {title} <span class="count">{lines.length}</span>
      </h3>
      {result === undefined && <Looking error={error} />}
      {result !== undefined && lines.length === 0 && <p class="quiet">{nobody}</p>}
      <ul class="concerned" tabIndex={0} aria-labelledby="concerned">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
  return { isKnown: result !== undefined, shown };
}

/** Gives a desk an order. Rejects with the reason of a refusal. */
export async function give(desk: string, event: ReturnType<DeskOrder['eventOf']>): Promise<void> {
  const refusal = refusalOf(await ask(desk, event));
  if (refusal !== undefined) throw new Error(refusal);
}
