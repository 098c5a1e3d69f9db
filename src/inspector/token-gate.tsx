/** Asks for a token where the gateway wants one. It stays in this tab. */
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
            The one that this tab has was not accepted, or has expired.
          </p>
        )}
        <p>This gateway answers only to those who show one. It stays in this tab, and is gone when you close it.</p>
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
          Go on
        </button>
      </form>
    </main>
  );
}
