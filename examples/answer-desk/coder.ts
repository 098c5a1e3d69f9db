/** A client of MCP whose server is `bosun mcp`, as the hosts of coding agents start it. */
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** The command line that `npm run build` has built. */
export const BOSUN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The reply of the desk's tools, as far as this agent reads it. */
export interface Reply {
  readonly status: 'answered' | 'provisional' | 'waiting' | 'refused';
  readonly question_id: string;
  readonly ticket_id: string | null;
  readonly answer: string | null;
  /** The person who decided it; null for an answer from the sources. */
  readonly decided_by: string | null;
  readonly sources: readonly { readonly location: string }[];
  readonly confidence: number;
  /** Answers that this agent was given, and that a person has changed since. */
  readonly changed_answers: readonly ChangedAnswer[];
}

interface ChangedAnswer {
  readonly question_id: string;
  readonly answer: string | null;
  readonly by: string | null;
}

export class Coder {
  readonly #client: Client;
  readonly #server: StdioClientTransport;

  private constructor(client: Client, server: StdioClientTransport) {
    this.#client = client;
    this.#server = server;
  }

  /** Starts a server of its own in a folder. The first one there runs the desk, the others join it. */
  static async start(name: string, folder: string): Promise<Coder> {
    const args = [BOSUN, 'mcp', '--as', name];
    const server = new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'ignore' });
    const client = new Client({ name, version: '1' });
    await client.connect(server);
    return new Coder(client, server);
  }

  ask(question: string, options: readonly string[] | null): Promise<Reply> {
    return this.#call<Reply>('askQuestion', { question, possible_options: options, max_wait_seconds: 20 });
  }

  wait(question: string, seconds = 40): Promise<Reply> {
    return this.#call<Reply>('waitForAnswer', { question_id: question, max_wait_seconds: seconds });
  }

  /** Waits until a person has settled a ticket: it is an actor, as everything is. */
  async settled(ticket: string): Promise<void> {
    await this.#call('wait_for_actor', { address: `open-tickets/${ticket}`, value: 'resolved', timeoutMs: 40_000 });
  }

  /** Kills the server, as when memory runs out or the machine is switched off. */
  kill(): void {
    process.kill(this.#server.pid!, 'SIGKILL');
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #call<T>(name: string, args: Record<string, unknown>): Promise<T> {
    const { isError, content, structuredContent } = await this.#client.callTool({ name, arguments: args });
    if (isError === true) throw new Error(`${name}: ${JSON.stringify(content)}`);
    return structuredContent as T;
  }
}
