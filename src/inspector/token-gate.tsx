/** Asks for a token if the gateway requires one. The token stays in this tab. */
import { useState } from 'preact/hooks';
import { unlock } from './link.ts';
import { keptToken } from './token.ts';

export function TokenGate() {
  const [token, setToken] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    if (token !== '') unlock(token);
  };
  return (
    <main class="gate">
      <form class="sheet" onSubmit={submit}>
        <h1>A token, please</h1>
        {keptToken() !== undefined && (
          <p class="bad" role="alert">
            The token of this tab was refused, or has expired.
          </p>
        )}
        <p>This gateway requires a token. It stays in this tab, and is gone when you close it.</p>
        <label class="field">
          Token
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value.trim())}
          />
        </label>
        <button class="primary" type="submit" disabled={token === ''}>
          Continue
        </button>
      </form>
    </main>
  );
}
