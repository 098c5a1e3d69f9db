/**
 * A caller that takes all that it is allowed, in a process of its own: it opens as many connections as it may, each
 * with any number of calls in progress, refused or not.
 */
import { bosunClient } from './gateway-clients.mjs';

/**
 * Pause after a refusal, which costs the gateway little and comes at once: without a pause this process would only
 * spin.
 */
const PAUSE_MS = 5;

const { url, token, connections, each, calls } = JSON.parse(process.argv[2]);
const counts = { taken: 0, refused: 0 };
const clients = [];
for (let n = 0; n < connections; n++) clients.push(await bosunClient(url, { token }));

async function spend({ call }, first) {
  for (let turn = first; ; turn++) {
    const { method, params } = calls[turn % calls.length];
    const { ok } = await call(method, params);
    counts[ok ? 'taken' : 'refused'] += 1;
    if (!ok) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

for (const client of clients) for (let n = 0; n < each; n++) void spend(client, n);

process.on('message', ({ id }) => process.send({ id, ...counts }));
process.on('disconnect', () => process.exit(0));
process.send({});
