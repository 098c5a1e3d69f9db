/** The check that refuses to build the documentation site with a dead link. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deadLinks } from '../../site/dead-links.ts';

describe('the dead links of a site', () => {
  let folder = '';
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'bosun-site-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const page = (name: string, html: string) => writeFileSync(join(folder, name), html);

  it('include missing pages, anchors and pictures', () => {
    page('index.html', '<a class="x" href="/gone.html">a</a> <a href="/two.html#gone">b</a> <img src="/gone.png">');
    page('two.html', '<h1 id="here">two</h1> <a href="#gone">c</a>');
    expect(deadLinks(folder)).toEqual([
      'index.html: /gone.html',
      'index.html: /two.html#gone',
      'index.html: /gone.png',
      'two.html: #gone',
    ]);
  });

  it('include no link to an existing page, anchor, folder with a page or file, or to another site', () => {
    mkdirSync(join(folder, 'part'));
    page('part/index.html', '<h1 id="café">part</h1> <a href="../index.html">up</a> <img src="a.png">');
    page('part/a.png', '');
    page('index.html', '<a href="/part/">a</a> <a href="/part/#caf%C3%A9">b</a> <a href="https://example.org/x">c</a>');
    expect(deadLinks(folder)).toEqual([]);
  });
});
