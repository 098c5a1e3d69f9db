/** nginx in front of a gateway: TLS with a certificate of its own, and a path prefix that it takes off. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Path of Debian's nginx; BOSUN_NGINX overrides it. */
const NGINX = process.env['BOSUN_NGINX'] ?? '/usr/sbin/nginx';

export class Proxy {
  /** Where the gateway is reached through the proxy, without a slash at its end. */
  readonly url: string;
  /** Path of the certificate, for programs that are to trust it. */
  readonly certificate: string;
  readonly #directory: string;
  readonly #process: ChildProcess;

  private constructor(url: string, directory: string, process: ChildProcess) {
    this.url = url;
    this.certificate = join(directory, 'own.pem');
    this.#directory = directory;
    this.#process = process;
  }

  /** @param prefix The path before everything, such as `/team/agents`. */
  static async before(gateway: string, prefix: string): Promise<Proxy> {
    if (!existsSync(NGINX))
      throw new Error(`no nginx at ${NGINX}: install Debian's package nginx-light, or name one by BOSUN_NGINX`);
    const directory = mkdtempSync(join(tmpdir(), 'bosun-proxy-'));
    const port = await freePort();
    const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'];
    const files = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', 'own.key', '-out', 'own.pem'];
    execFileSync('openssl', ['req', ...made, ...files], { cwd: directory, stdio: 'ignore' });
    writeFileSync(join(directory, 'nginx.conf'), configuration({ directory, port, gateway, prefix }));
    const nginx = spawn(NGINX, ['-p', directory, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'ignore' });
    const url = `https://127.0.0.1:${port}${prefix}`;
    await answering(port);
    return new Proxy(url, directory, nginx);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

interface Setup {
  readonly directory: string;
  readonly port: number;
  readonly gateway: string;
  readonly prefix: string;
}

/** The lines of docs/serve.md, in a server of its own. */
function configuration({ directory, port, gateway, prefix }: Setup): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
pid ${directory}/nginx.pid;
worker_processes 1;
events {}
http {
  access_log off;
  map $request_uri $path_in_bosun { ~^${prefix}(/.*)$ $1; }
${temporary.map((name) => `  ${name}_temp_path ${directory}/${name};`).join('\n')}
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${directory}/own.pem;
    ssl_certificate_key ${directory}/own.key;
    location ${prefix}/ {
      proxy_pass ${gateway}$path_in_bosun;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $http_connection;
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
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

/** Resolves when something takes connections at a port. */
async function answering(port: number): Promise<void> {
  const { connect } = await import('node:net');
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
  }
}
