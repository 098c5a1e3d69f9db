/** An agent with a client of MCP, whose server is `bosun mcp`, as the hosts of coding agents start it. */
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
  readonly source: string | null;
  readonly confidence: number;
  /** Answers that this agent was given, and that a person has changed since. */
  readonly changed_answers: readonly { readonly question_id: string; readonly answer: string | null }[];
}

export class Coder {
  readonly name: string;
  readonly #client: Client;
  readonly #server: StdioClientTransport;

  private constructor(name: string, client: Client, server: StdioClientTransport) {
    this.name = name;
    this.#client = client;
    this.#server = server;
  }

  /** Starts an agent in a folder, with a server of its own. The first one runs the desk, the others join it. */
  static async start(name: string, folder: string): Promise<Coder> {
    const args = [BOSUN, 'mcp', '--as', name, '--data', 'desk'];
    const server = new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'ignore' });
    const client = new Client({ name, version: '1' });
    await client.connect(server);
    return new Coder(name, client, server);
  }

  ask(question: string, options: readonly string[] | null = null): Promise<Reply> {
    return this.#call('askQuestion', { question, possible_options: options, max_wait_seconds: 20 });
  }

  wait(question: string, seconds = 40): Promise<Reply> {
    return this.#call('waitForAnswer', { question_id: question, max_wait_seconds: seconds });
  }

  /** Kills the server, as when memory runs out or the machine is switched off. */
  kill(): void {
    process.kill(this.#server.pid!, 'SIGKILL');
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #call(name: string, args: Record<string, unknown>): Promise<Reply> {
    const { isError, content, structuredContent } = await this.#client.callTool({ name, arguments: args });
    if (isError === true) throw new Error(`${name}: ${JSON.stringify(content)}`);
    return structuredContent as Reply;
  }
}
