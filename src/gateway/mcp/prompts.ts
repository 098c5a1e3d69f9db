/** Prompts of MCP, which a person chooses in the host of a coding agent. */
import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

interface PromptRow {
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: true }[];
  readonly textOf: (given: Readonly<Record<string, string>>) => string;
}

const address = { name: 'address', description: 'The address of the actor.', required: true } as const;

const PROMPTS: Readonly<Record<string, PromptRow>> = {
  'explain-actor': {
    description: 'Explain how an actor came into its state, and what it waits for.',
    arguments: [address],
    textOf: ({ address: of }) =>
      `Explain how the actor ${of} came into its state and what it waits for. Read it with inspect_actor, what led ` +
      'there with show_history, the states that it may go to with show_chart, and for whom it waits with list_waits. ' +
      'Change nothing.',
  },
  'bring-actor': {
    description: 'Bring an actor into a state by the events that it takes.',
    arguments: [address, { name: 'goal', description: 'The state, or what should be so.', required: true }],
    textOf: ({ address: of, goal }) =>
      `Bring the actor ${of} to this: ${goal}. Look at inspect_actor and show_chart for the events that lead there, ` +
      'and at list_agents for their fields. Send one event at a time with send_event and until: taken, and ' +
      'look again after each. If a person has to decide, say so and stop.',
  },
};

export function servePrompts({ server }: McpServer): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, { description, arguments: wanted }]) => ({
      ...{ name, description },
      arguments: [...wanted],
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
    const row = Object.hasOwn(PROMPTS, name) ? PROMPTS[name]! : undefined;
    if (row === undefined) throw refused(`there is no prompt ${JSON.stringify(name)}`);
    const absent = row.arguments.find((one) => (given[one.name] ?? '').trim() === '');
    if (absent !== undefined) throw refused(`the prompt ${name} needs the argument ${absent.name}`);
    const text = row.textOf(given);
    return { description: row.description, messages: [{ role: 'user' as const, content: { type: 'text', text } }] };
  });
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
