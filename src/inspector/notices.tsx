/**
 * Short notices about actions just done, on screen and for screen readers. Only the latest are shown; each disappears
 * after a while.
 */
import { signal } from '@preact/signals';
import { after } from './time.ts';

interface ShownNotice {
  readonly number: number;
  readonly text: string;
}

const SHOWN_MAX = 3;
const SHOWN_MS = 8_000;

const notices = signal<readonly ShownNotice[]>([]);
let numbers = 0;

export function say(text: string): void {
  const notice = { text, number: ++numbers };
  notices.value = [...notices.value, notice].slice(-SHOWN_MAX);
  after(SHOWN_MS, () => (notices.value = notices.value.filter(({ number }) => number !== notice.number)));
}

export function Notices() {
  return (
    <div class="notices" role="log" aria-label="What was done">
      {notices.value.map(({ number, text }) => (
        <p key={number}>
          <span class="good" aria-hidden="true">
            {'\u2713'}
          </span>{' '}
          {text}
        </p>
      ))}
    </div>
  );
}
