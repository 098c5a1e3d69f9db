/**
 * Many clients of the gateway's rows, in a process of their own. They make calls or count notifications, and report to
 * the row's process when all have been answered or notified, and how late that was.
 */
import { bosunClient, rawClient, socketIoClient } from './gateway-clients.mjs';
import { latency } from './statistics.mjs';

/** Connections in progress at a time: fewer than the gateway allows without a hello. */
const AT_ONCE = 50;

/** Opens `count` clients, some at a time. */
async function many(count, open) {
  for (let first = 0; first < count; first += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, index) => open(first + index)));
}

/** Counts to the number of clients, again and again. The count may be complete before it is asked for. */
function roll(count) {
  let told = 0;
  let done = 0;
  let asked = 0;
  let whole = () => {};
  return {
    tell: () => {
      told += 1;
      if (told % count !== 0) return;
      done += 1;
      whole();
    },
    all: () => {
      const wanted = ++asked;
      return new Promise((resolve) => {
        whole = () => done >= wanted && resolve();
        whole();
      });
    },
  };
}

async function crowd({ urls, clients, lazy, topic }) {
  const lateMs = [];
  let isCounting = false;
  let missing = 0;
  const told = () => {
    let count = -1;
    return (frame) => {
      if (frame.t !== 'delta' || !isCounting) return;
      const op = (path) => frame.ops.find((one) => one.path === path || one.path === '')?.value;
      const text = String(op('/context/text') ?? '');
      lateMs.push(Date.now() - Number(text.slice(0, text.indexOf(' '))));
      const next = Number(op('/context/count'));
      if (count >= 0 && next !== count + 1) missing += 1;
      count = next;
    };
  };
  await many(clients, async () => (await bosunClient(urls.bosun, { told: told() })).subscribe(`actor/${topic}`));
  await many(lazy, async () => {
    const { socket, subscribe } = await bosunClient(urls.bosun);
    subscribe('actor/flood');
    // This client stops reading without notice.
    socket.pause();
  });
  return {
    begin: () => (isCounting = true),
    end: () => {
      isCounting = false;
      return { lateMs: lateMs.splice(0), missing };
    },
  };
}

async function audience({ urls, clients }) {
  const rolls = { bosun: roll(clients), raw: roll(clients), socketIo: roll(clients) };
  await many(clients, async () =>
    (await bosunClient(urls.bosun, { told: ({ t }) => t === 'delta' && rolls.bosun.tell() })).subscribe('actor/board'),
  );
  await many(clients, () => rawClient(urls.raw, rolls.raw.tell));
  await many(clients, () => socketIoClient(urls.socketIo, rolls.socketIo.tell));
  return { all: ({ kind }) => rolls[kind].all() };
}

/** Clients with one call outstanding each; at its answer they make the next. */
async function callers({ urls, clients, text }) {
  const value = { type: 'echo', text };
  const open = {
    ask: async () => {
      const { call } = await bosunClient(urls.bosun);
      return async () => (await call('actor.ask', { address: 'board', event: value })).r.reply;
    },
    ws: async () => {
      const { echo } = await rawClient(urls.raw);
      return async () => (await echo(value)).text;
    },
    socketIo: async () => {
      const { echo } = await socketIoClient(urls.socketIo);
      return async () => (await echo(value)).text;
    },
  };
  const calls = { ask: [], ws: [], socketIo: [] };
  for (const kind of Object.keys(open)) await many(clients, async () => calls[kind].push(await open[kind]()));
  return {
    run: async ({ kind, each }) => {
      const latenciesMs = [];
      const startMs = performance.now();
      await Promise.all(
        calls[kind].map(async (call) => {
          for (let n = 0; n < each; n++) {
            const askedMs = performance.now();
            if ((await call()) !== text) throw new Error(`${kind}: an answer is not what was asked for`);
            latenciesMs.push(performance.now() - askedMs);
          }
        }),
      );
      return { tookMs: performance.now() - startMs, ...latency(latenciesMs) };
    },
  };
}

/** Clients with a token each, each with a window that it watches from `begin` to `end`; they note the last change. */
async function watchers({ url, tokens, topics }) {
  let last = [];
  let frames = 0;
  const told = (n) => (frame) => {
    if (frame.t === 'end') throw new Error(`a window ended: ${frame.e.message}`);
    frames += 1;
    for (const [, number] of JSON.stringify(frame).matchAll(/change-(\d+)\./g))
      last[n] = Math.max(last[n], Number(number));
  };
  const clients = [];
  await many(tokens.length, async (n) => {
    clients[n] = await bosunClient(url, { token: tokens[n].token, told: told(n) });
  });
  return {
    begin: async () => {
      [last, frames] = [topics.map(() => -1), 0];
      clients.forEach(({ subscribe }, n) => subscribe(topics[n]));
      while (frames < clients.length) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    end: () => {
      for (const { socket } of clients) socket.send('{"t":"unsub","id":"s"}');
      return { last, frames };
    },
  };
}

const KINDS = { audience, callers, crowd, watchers };

const { kind, ...options } = JSON.parse(process.argv[2]);
const group = await KINDS[kind](options);
process.on('message', ({ id, ask, ...rest }) => {
  Promise.resolve(group[ask](rest)).then((answer) => process.send({ id, ...answer }));
});
// The parent process is gone.
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });
