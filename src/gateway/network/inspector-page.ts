/**
 * Serves the page: a closed list of built files, under a policy that forbids loading anything from elsewhere. The files
 * hold no data and no token; the page gets its data by the protocol, as any client does.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** The served files by path. No other file is ever read. */
const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/inspector/app.js': { name: 'app.js', type: 'text/javascript; charset=utf-8' },
  '/inspector/app.css': { name: 'app.css', type: 'text/css; charset=utf-8' },
  '/inspector/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

const HEADERS = {
  // Cached, but revalidated each time, since a new build has the same paths.
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': PAGE_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept-Encoding, Origin',
  'X-Content-Type-Options': 'nosniff',
} as const;

const UNBUILT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Bosun</title><p>The page is not built. Run ' +
  '<code>npm run build</code>, and load it again.</p></html>\n';

interface PageFile {
  readonly type: string;
  readonly tag: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

/** Files by path, as first read; undefined for a missing file. */
type Loaded = Map<string, Promise<PageFile | undefined>>;

export function isPage(path: string): boolean {
  return Object.hasOwn(FILES, path);
}

export class InspectorPage {
  readonly #directory: URL;
  readonly #loaded: Loaded = new Map();

  /**
   * Makes the server of the page.
   *
   * @param directory Folder of the built page. Default: beside this file's folder; in the sources there is no built
   * page.
   */
  constructor(directory = new URL('../../inspector/', import.meta.url)) {
    this.#directory = directory;
  }

  async answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead) return send(response, { status: 405, headers: { Allow: 'GET, HEAD' } });
    // The sources have an index.html too, but no app.js.
    const isBuilt = (await this.#file('/inspector/app.js')) !== undefined;
    const file = isBuilt ? await this.#file(path) : undefined;
    const isHead = request.method === 'HEAD';
    if (file === undefined)
      return send(response, {
        status: path === '/' ? 200 : 404,
        headers: { 'Content-Type': FILES['/']!.type },
        body: Buffer.from(UNBUILT),
        isHead,
      });
    if (tagsIn(request.headers['if-none-match']).includes(file.tag))
      return send(response, { status: 304, headers: { ETag: file.tag } });
    const isZipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const headers = { 'Content-Type': file.type, ETag: file.tag, ...(isZipped && { 'Content-Encoding': 'gzip' }) };
    send(response, { status: 200, headers, body: isZipped ? file.zipped : file.plain, isHead });
  }

  #file(path: string): Promise<PageFile | undefined> {
    let file = this.#loaded.get(path);
    if (file === undefined) this.#loaded.set(path, (file = this.#read(path)));
    return file;
  }

  async #read(path: string): Promise<PageFile | undefined> {
    const { name, type } = FILES[path]!;
    try {
      const plain = await readFile(new URL(name, this.#directory));
      const tag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
      return { type, tag, plain, zipped: gzipSync(plain, { level: 9 }) };
    } catch {
      // Whatever the reason, there is no page to serve.
      return undefined;
    }
  }
}

interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly isHead?: boolean;
}

function send(response: ServerResponse, { status, headers, body, isHead = false }: PageAnswer): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    ...HEADERS,
    ...headers,
    ...(body !== undefined && { 'Content-Length': String(body.length) }),
  });
  response.end(isHead ? undefined : body);
}

function tagsIn(header: string | undefined): string[] {
  return (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}
