/** The site of the documents. Its source is the repository as it is: nothing is written for the site alone. */
import { defineConfig } from 'vitepress';
import { deadLinks } from '../dead-links.ts';
import { markdown } from '../markdown.ts';
import { documents, reference } from '../navigation.ts';
import { NO_PAGES, ROOT, sitePathOf } from '../pages.ts';

export default defineConfig({
  lang: 'en',
  title: 'Bosun',
  description: 'Erlang/OTP for statecharts, in Node: durable, supervised XState agents.',
  // Browsers ask for an icon; there is none.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: ROOT,
  srcExclude: NO_PAGES,
  outDir: `${ROOT}/site/dist`,
  cacheDir: `${ROOT}/node_modules/.cache/vitepress`,
  rewrites: sitePathOf,
  // The list of all pages goes into one file, not into each page.
  metaChunk: true,
  markdown,
  // The index of the search is one file.
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Documents', link: '/documents.html', activeMatch: '^/(?!reference/|changelog|$)' },
      { text: 'API reference', link: '/reference/bosun/', activeMatch: '^/reference/' },
      { text: 'Changelog', link: '/changelog.html' },
    ],
    sidebar: { '/': documents(), ...reference() },
  },
  buildEnd({ outDir }) {
    const dead = deadLinks(outDir);
    if (dead.length > 0) throw new Error(`dead links:\n${dead.join('\n')}`);
  },
});
