/**
 * A question before something is done: a title, what is asked for, the same as lines for a shell, and the button. Esc
 * leaves it.
 */
import { type ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { say } from './notices.tsx';
import { type GatewayOrigin, type Twin } from './twins.ts';
import { keptToken } from './token.ts';

export interface DialogProps {
  readonly title: string;
  /** On the button that does it. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  /** Why it cannot be done as things stand. */
  readonly obstacle?: string | undefined;
  readonly twin: Twin;
  readonly children: ComponentChildren;
  /** Rejects with what is told to the user, who may try again. */
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
    // Leads the focus in, keeps it there, and gives it back when it closes.
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

/** Submits a form, once at a time. `refusal` is what it rejected with, to be shown. */
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

/** For twins. */
export function gatewayOrigin(): GatewayOrigin {
  return { origin: location.origin, isGuarded: keptToken() !== undefined };
}
