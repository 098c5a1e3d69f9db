/** A crew inside an HTTP service: notes are drafted by a function, and printed when somebody approves. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { isBosunError, levelStore } from 'bosun';
import { crew, type WorkContext } from 'bosun/crew';

/** Work for a model. What a subtask has done is not done again, whatever happens to the process. */
async function draft({ topic }: { topic: string }, { subtask }: WorkContext): Promise<string> {
  const facts = await subtask('facts', () => `three facts on ${topic}`);
  return `A note with ${facts}.`;
}

/** Starts the service on a directory; a later start goes on with what is there. */
export async function service(directory: string, port = 0) {
  const team = await crew({ agents: { draft }, capacity: { draft: 4 }, store: levelStore(directory) }).start();
  const routes: Record<string, (id: string, body: never) => Promise<unknown>> = {
    'PUT notes': (id, input: { topic: string }) =>
      team.submit({ id, agent: 'draft', input, gate: { title: `Print the note on ${input.topic}?` } }),
    'GET notes': async (id) => (await team.task(id)) ?? null,
    'GET gates': () => team.gates(),
    'POST gates': async (id, { by, ...answer }: { by: string; decision: string }) => team.answer(id, answer, { by }),
  };
  const server = createServer((request, response) => {
    const [, kind = '', id = ''] = (request.url ?? '').split('/');
    const respond = async () => {
      const body = request.method === 'GET' ? undefined : await json(request);
      const route = routes[`${request.method} ${kind}`];
      if (route === undefined) throw new Error(`no ${kind} here`);
      return (await route(decodeURIComponent(id), body as never)) ?? null;
    };
    const end = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    respond().then(
      (body) => end(200, body),
      (error: unknown) => end(isBosunError(error) ? 409 : 400, { error: String(error) }),
    );
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const stop = async () => {
    server.close();
    await team.stop();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, team, stop };
}
