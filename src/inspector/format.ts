/** Readable numbers, times and values. Pure. */

const STEPS = [
  [86_400_000, 'd', 3_600_000, 'h'],
  [3_600_000, 'h', 60_000, 'min'],
  [60_000, 'min', 1_000, 's'],
] as const;

/** A duration: `840 ms`, `12 s`, `3 min 20 s`, `2 d 4 h`. */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1_000) return `${whole} ms`;
  for (const [unit, name, smaller, smallerName] of STEPS) {
    if (whole < unit) continue;
    const rest = Math.floor((whole % unit) / smaller);
    return `${Math.floor(whole / unit)} ${name}${rest === 0 ? '' : ` ${rest} ${smallerName}`}`;
  }
  return `${Math.floor(whole / 1_000)} s`;
}

/** A size: `3.1 MB`. */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  const [size, unit] = count < 1e6 ? [count / 1e3, 'kB'] : count < 1e9 ? [count / 1e6, 'MB'] : [count / 1e9, 'GB'];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/** A number with its thousands apart: `23,600`. */
export function number(count: number): string {
  return count.toLocaleString('en');
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** A state value on one line: `open`, `desk.idle`, `desk.busy · lamp.lit`. */
export function stateText(value: unknown): string {
  return leaves(value).join(' \u00b7 ');
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => {
    const deeper = leaves(below);
    return deeper.length === 0 ? [key] : deeper.map((leaf) => `${key}.${leaf}`);
  });
}

/** The message of an error as the gateway shows it, on one line. */
export function errorText(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return typeof error === 'string' ? error : JSON.stringify(error);
}

/** The beginning of a text. */
export function brief(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}\u2026`;
}

/** A time, `14:05:09`, with the date if it is not today. */
export function moment(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)];
  const time = at.toLocaleTimeString('en-GB');
  return at.toDateString() === now.toDateString() ? time : `${at.toISOString().slice(0, 10)} ${time}`;
}

/** The purpose of a timer: `after 500 ms in desk.busy`, or the type of its event. */
export function timerText(event: string): string {
  const [, delay, state] = /^xstate\.after\.([^.]+)\.(.+)$/.exec(event) ?? [];
  if (delay === undefined || state === undefined) return event;
  return `after ${/^\d+$/.test(delay) ? duration(Number(delay)) : delay} in ${state}`;
}
