/** The story on the terminal: what the agents and the desks have said, each line once it is on disk. */
import { type System } from 'bosun';
import { ticketAgents } from 'bosun/machines';
import { type Outside } from './outside.ts';
import { bosunLine } from './workplace.ts';

/** An event that an actor has emitted, as far as the story knows it. */
interface Emitted {
  readonly type: string;
  readonly [field: string]: unknown;
}

const COLUMN = 10;

/** Prints a line of the story. */
export function say(who: string, text: string): void {
  console.log(`${who.padEnd(COLUMN)} ${text}`);
}

/** Prints an event, if it is worth telling. `data`: the directory of the job's data. */
export function tell(data: string, { type, ...event }: Emitted): void {
  const text = (field: string) => String(event[field] ?? '');
  if (type === 'said') say(text('who'), text('text'));
  else if (type === 'task.stands') tellTask(text('task'), text('status'), text('because'));
  else if (type === 'gate.opened')
    say('gate', `${text('title')} On the page, or ${bosunLine(data, `gates answer ${text('gate')} decision=release`)}`);
  else if (type === 'gate.closed') say('gate', `${text('title')} answered by ${text('by')}`);
  else if (type === 'debate.level' && event['level'] === 'L2') say('debate', 'they do not agree: their records decide');
  else if (type === 'ticket.listed' && event['status'] === 'resolved')
    say('ticket', `${text('ticket')} is resolved by ${text('by')}`);
}

/** Prints the questions that wait for people: who has started again does not scroll up for them. */
export async function tellOpen(system: System, data: string): Promise<void> {
  const desk = await system.actor('tickets', ticketAgents[1]);
  for (const { id, title, isBlocking } of desk.getSnapshot().context.waiting.values())
    if (isBlocking) say('ticket', `${title} On the page, or ${bosunLine(data, `tickets reply ${id} "..."`)}`);
  const gates = await system.ask<readonly { readonly id: string; readonly title: string }[]>('gates', {
    type: 'gate.list',
    isOpen: true,
  });
  for (const { id: gate, title } of gates) tell(data, { type: 'gate.opened', gate, title });
}

/** How each task stands, as it was told last. */
const told = new Map<string, string>();

function tellTask(task: string, status: string, because: string): void {
  // What a session does with a task is told by the session.
  if (['pending', 'ready', 'in_progress'].includes(status)) return;
  const stands = `${status}: ${because}`;
  if (told.get(task) === stands) return;
  told.set(task, stands);
  say('task', `${task} is ${status.replaceAll('_', ' ')}${because === '' ? '' : `: ${because}`}`);
}

/** Proves what was not done twice, by what the world outside has counted. */
export function tellOutside(outside: Outside): void {
  const counted = outside.counted();
  const keyed = counted.filter(({ key }) => key !== null);
  if (counted.length === 0) return;
  const repeated = keyed.filter(({ asked }) => asked > 1);
  say(
    'outside',
    `${keyed.length} effects with an id, each done once; asked for again after a kill: ${repeated.length}`,
  );
  for (const { what, asked } of repeated) say('', `once, asked ${asked} times: ${what}`);
  const others = counted.filter(({ key }) => key === null).map(({ what, done }) => `${what} (${done})`);
  if (others.length > 0) say('', `without an id, each at least once: ${others.join(', ')}`);
}
