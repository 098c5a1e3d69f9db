/** An agent that asks a person and waits for the answer: for a minute or for weeks, over kill -9. */
import { levelStore } from 'bosun';
import { crew, crewProcedures, type WorkContext } from 'bosun/crew';
import { createGateway } from 'bosun/gateway';

/** Writes an invoice; what nobody has written down, a person knows. */
async function invoice({ order }: { order: string }, { crew: its }: WorkContext): Promise<string> {
  const { option, text, by } = await its.askPerson({
    name: 'currency',
    title: `Which currency is order ${order} paid in?`,
    options: ['Euro', 'dollar'],
    priority: 1,
  });
  return `Order ${order}: ${option ?? text}, says ${by}.`;
}

const team = await crew({ agents: { invoice }, store: levelStore('./ask-data') }).start();
const port = Number(process.env['PORT'] ?? 4180);
const gateway = createGateway(team.system, { port, procedures: crewProcedures });
const { url } = await gateway.listen();
console.log(`answer at ${url}/#/inbox`);

// The same task after every start: it is there, or it is asked for now.
await team.submit({ id: 'o-17', agent: 'invoice', input: { order: 'o-17' } });
console.log(await team.result('o-17'));
await gateway.close();
await team.stop();
