/** A dialog to fill in and send an event, with a form made from the event's schema. */
import { useState } from 'preact/hooks';
import { Dialog, gatewayPlace } from '../dialog.tsx';
import { send } from '../link.ts';
import { say } from '../notices.tsx';
import { sendTwin } from '../twins.ts';
import { type JsonSchema } from '../json-schema.ts';
import { eventOf, type Field, fieldsOf, type Typed } from './schema-form.ts';

export interface EventDialogProps {
  readonly address: string;
  readonly type: string;
  readonly schema: JsonSchema | undefined;
  /** Initial contents of fields, by name. */
  readonly preset?: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}

export function EventDialog({ address, type, schema, preset = {}, onClose }: EventDialogProps) {
  const fields = fieldsOf(schema);
  const [typed, setTyped] = useState<Typed>(() => ({
    ...Object.fromEntries(fields.map(({ name, initial }) => [name, initial])),
    ...preset,
  }));
  const { event, problems } = eventOf(type, fields, typed);
  const wrong = Object.entries(problems)[0];
  const act = async () => {
    await send(address, event);
    say(`${address} has taken ${type}.`);
  };
  return (
    <Dialog
      title={`Send ${type}`}
      verb="Send"
      twin={sendTwin(gatewayPlace(), address, event)}
      obstacle={wrong === undefined ? undefined : wrong.join(' ')}
      act={act}
      onClose={onClose}
    >
      <p class="quiet">
        to <span class="mono">{address}</span>
        {schema?.description !== undefined && <>: {schema.description}</>}
      </p>
      {fields.length === 0 && <p class="quiet">This event has no fields.</p>}
      <FieldInputs fields={fields} typed={typed} onTyped={setTyped} />
    </Dialog>
  );
}

interface FieldInputsProps {
  readonly fields: readonly Field[];
  readonly typed: Typed;
  readonly onTyped: (typed: Typed) => void;
}

export function FieldInputs({ fields, typed, onTyped }: FieldInputsProps) {
  return (
    <>
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          text={typed[field.name] ?? field.initial}
          onText={(text) => onTyped({ ...typed, [field.name]: text })}
        />
      ))}
    </>
  );
}

interface FieldInputProps {
  readonly field: Field;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function FieldInput({ field, text, onText }: FieldInputProps) {
  const { name, isRequired, description, hint } = field;
  const words = [description, hint].filter((part) => part !== undefined && part !== '').join('; ');
  return (
    <label class="field">
      <span>
        {name} {!isRequired && <span class="quiet">may be left out</span>}
      </span>
      <Input field={field} text={text} onText={onText} />
      {words !== '' && <span class="quiet">{words}</span>}
    </label>
  );
}

function Input({ field: { name, kind, options, isRequired }, text, onText }: FieldInputProps) {
  const choices = kind === 'boolean' ? ['true', 'false'] : options;
  if (choices.length > 0) {
    return (
      <select name={name} value={text} onChange={(event) => onText(event.currentTarget.value)}>
        <option value="">{isRequired ? 'choose' : 'left out'}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'json')
    return (
      <textarea
        name={name}
        rows={4}
        spellcheck={false}
        placeholder="JSON"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    );
  return (
    <input
      name={name}
      type="text"
      inputMode={kind === 'text' ? 'text' : 'decimal'}
      autocomplete="off"
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}
