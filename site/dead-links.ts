/** Links of the site that lead nowhere: to a file that was not built, or to an anchor that its page does not have. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** @returns Each as `page: link`. Links to other sites are not followed. */
export function deadLinks(folder: string): string[] {
  const files = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  const pages = [...files].filter((file) => file.endsWith('.html'));
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  const anchors = new Map(pages.map((page) => [page, new Set(attributes(texts.get(page)!, 'id'))]));
  const isDead = (page: string, link: string) => {
    const { pathname, hash } = new URL(link, `file:///${page}`);
    const path = decodeURIComponent(pathname.slice(1));
    const target = path === '' || path.endsWith('/') ? posix.join(path, 'index.html') : path;
    return !files.has(target) || (hash !== '' && anchors.get(target)?.has(decodeURIComponent(hash.slice(1))) === false);
  };
  return pages.flatMap((page) => {
    const links = ['href', 'src'].flatMap((name) => attributes(texts.get(page)!, name));
    const inside = [...new Set(links)].filter((link) => !/^(?:\w+:|\/\/)/.test(link));
    return inside.filter((link) => isDead(page, link)).map((link) => `${page}: ${link}`);
  });
}

function attributes(html: string, name: string): string[] {
  const found = [...html.matchAll(new RegExp(`<[a-z][^>]*? ${name}="([^"]*)"`, 'g'))];
  return found.map(([, value]) => value!.replaceAll('&amp;', '&'));
}
