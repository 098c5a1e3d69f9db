/** nginx in front of a gateway, with the lines of docs/serve.md: TLS, and a path prefix that it takes off. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.ts';
import { ownCertificate } from './certificate.ts';

/** Path of Debian's nginx; BOSUN_NGINX overrides it. */
const NGINX = process.env['BOSUN_NGINX'] ?? '/usr/sbin/nginx';

const DOCUMENT = new URL('../../../docs/serve.md', import.meta.url);

export class Proxy {
  /** Where the gateway is reached through the proxy, without a slash at its end. */
  readonly url: string;
  readonly #directory: string;
  readonly #process: ChildProcess;

  private constructor(url: string, directory: string, process: ChildProcess) {
    this.url = url;
    this.#directory = directory;
    this.#process = process;
  }

  /** Starts a proxy, and resolves when it takes connections. */
  static async before(gateway: string): Promise<Proxy> {
    if (!existsSync(NGINX))
      throw new Error(`no nginx at ${NGINX}: install Debian's package nginx-light, or name one by BOSUN_NGINX`);
    const directory = mkdtempSync(join(tmpdir(), 'bosun-proxy-'));
    // Started by root, nginx works as another user, who writes long bodies into a folder in here.
    chmodSync(directory, 0o755);
    const port = await freePort();
    const { server, prefix } = documented(port, gateway);
    writeFileSync(join(directory, 'nginx.conf'), configuration(directory, server));
    const nginx = spawn(NGINX, ['-p', directory, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'ignore' });
    const proxy = new Proxy(`https://127.0.0.1:${port}${prefix}`, directory, nginx);
    try {
      await proxy.#listening(port);
    } catch (error) {
      await proxy[Symbol.asyncDispose]();
      throw error;
    }
    return proxy;
  }

  async #listening(port: number): Promise<void> {
    const log = () => readFileSync(join(this.#directory, 'error.log'), 'utf8');
    await until(
      async () => this.#hasEnded || (await takesConnections(port)),
      () => `nginx at port ${port}, after: ${log()}`,
    );
    if (this.#hasEnded) throw new Error(`nginx has ended at its start: ${log()}`);
  }

  get #hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit');
    if (this.#process.kill('SIGTERM')) await ended;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/**
 * The lines of docs/serve.md, with the places of this run in them, and the path prefix that they name. Throws where the
 * document has other lines than are looked for here.
 */
function documented(port: number, gateway: string): { readonly server: string; readonly prefix: string } {
  const [, lines] = found(/```nginx\n([^]*?)```/, readFileSync(DOCUMENT, 'utf8'));
  const [, prefix] = found(/^ *location (\S+)\/ \{$/m, lines!);
  const [comment] = found(/# listen 443 ssl; ssl_certificate \.\.\.; ssl_certificate_key \.\.\.;/, lines!);
  const [address] = found(/http:\/\/127\.0\.0\.1:4180/, lines!);
  const { certificate, key } = ownCertificate();
  const tls = `listen 127.0.0.1:${port} ssl; ssl_certificate ${certificate}; ssl_certificate_key ${key};`;
  return { server: lines!.replace(comment, tls).replace(address, gateway), prefix: prefix! };
}

function found(pattern: RegExp, text: string): RegExpExecArray {
  const match = pattern.exec(text);
  if (match === null) throw new Error(`docs/serve.md has no lines for nginx with ${pattern.source}`);
  return match;
}

/** A configuration of nginx around the lines of a server. */
function configuration(directory: string, server: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
pid ${directory}/nginx.pid;
worker_processes 1;
events {}
http {
access_log off;
${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n')}
${server}
}
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return isOpen;
}
