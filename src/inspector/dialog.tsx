/** A dialog before an action: a title, its fields, the same action as shell commands, and the button. Esc closes it. */
import { type ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { say } from './notices.tsx';
import { gatewayUrl } from './gateway-url.ts';
import { type GatewayPlace, type Twin } from './twins.ts';
import { keptToken } from './token.ts';

export interface DialogProps {
  readonly title: string;
  /** Label of the button. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  /** The reason why the action is not possible at present. */
  readonly obstacle?: string | undefined;
  readonly twin: Twin;
  readonly children: ComponentChildren;
  /** Performs the action. Rejects with an error that is shown to the user, who may try again. */
  readonly act: () => Promise<void>;
  readonly onClose: () => void;
}

export function Dialog({ title, verb, isDangerous = false, obstacle, twin, children, act, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { submit, isBusy, refusal } = useSubmission(async () => {
    await act();
    dialog.current?.close();
  });
  useEffect(() => {
    // showModal moves the focus in, keeps it there, and returns it on close.
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('input, select, textarea, [type="submit"]')?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="dialog-title"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <form onSubmit={submit}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        <Twins twin={twin} />
        {refusal}
        <div class="row end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button
            type="submit"
            class={isDangerous ? 'danger' : 'primary'}
            disabled={isBusy || obstacle !== undefined}
            title={obstacle}
          >
            {verb}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Submits a form, once at a time. `refusal` is the error to show. */
export function useSubmission(act: () => Promise<void>) {
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const [isBusy, setIsBusy] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    setFailure(undefined);
    act()
      .catch((error: unknown) => setFailure((error as Error).message))
      .finally(() => setIsBusy(false));
  };
  const refusal = failure !== undefined && (
    <p class="bad" role="alert">
      {failure}
    </p>
  );
  return { submit, isBusy, refusal };
}

export function Twins({ twin: { bosun, curl } }: { readonly twin: Twin }) {
  return (
    <details class="twins">
      <summary>The same from a shell</summary>
      {bosun !== undefined && <Line name="bosun" text={bosun} />}
      <Line name="curl" text={curl} />
    </details>
  );
}

function Line({ name, text }: { readonly name: string; readonly text: string }) {
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => say(`Copied the ${name} line.`),
      () => {},
    );
  };
  return (
    <div class="twin">
      <pre tabIndex={0} aria-label={`${name} line`}>
        {text}
      </pre>
      <button type="button" onClick={copy} aria-label={`Copy the ${name} line`}>
        Copy
      </button>
    </div>
  );
}

/** The location of the gateway, for shell commands. */
export function gatewayPlace(): GatewayPlace {
  return { url: gatewayUrl(), isGuarded: keptToken() !== undefined };
}
