/**
 * Markdown as GitHub shows it: anchors are made likewise, links lead from file to file, indented blocks are code, and
 * blocks of Mermaid are pictures.
 */
import { posix } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';
import { type MarkdownOptions, type MarkdownRenderer } from 'vitepress';
import { linkOf, ROOT } from './pages.ts';
import { slugOf } from './slug.ts';

export const markdown: MarkdownOptions = {
  anchor: { slugify: slugOf },
  config(md) {
    followFiles(md);
    md.core.ruler.push('indented', ({ tokens }) => {
      for (const token of tokens) if (token.type === 'code_block') Object.assign(token, { type: 'fence', info: '' });
    });
    const { fence } = md.renderer.rules;
    md.renderer.rules.fence = (tokens, index, ...rest) => {
      const { info, content } = tokens[index]!;
      return info.trim() === 'mermaid' ? picture(content) : fence!(tokens, index, ...rest);
    };
  },
};

/** Links to pages lead to where the site has them. What is no page, such as a source, is named without a link. */
function followFiles(md: MarkdownRenderer): void {
  md.core.ruler.push('files', ({ tokens, env }) => {
    const { realPath, path } = env as { readonly realPath?: string; readonly path: string };
    const folder = posix.dirname(posix.relative(ROOT, realPath ?? path));
    for (const token of tokens) {
      let isPlain = false;
      token.children = (token.children ?? []).filter((child) => {
        if (child.type === 'link_close') return !isPlain;
        if (child.type !== 'link_open') return true;
        const [file = '', anchor] = child.attrGet('href')!.split('#');
        isPlain = false;
        if (file === '' || /^\w+:/.test(file)) return true;
        const link = linkOf(posix.join(folder, file));
        isPlain = link === undefined;
        if (!isPlain) child.attrSet('href', anchor === undefined ? link! : `${link}#${anchor}`);
        return !isPlain;
      });
    }
  });
}

/** Drawn now, without its style sheet, which would ask for a font: the theme has the colours. */
function picture(source: string): string {
  const svg = renderMermaidSVG(source, { padding: 8, transparent: true })
    .replace(/<style>[^]*?<\/style>/, '')
    .replace(/ style="[^"]*"/, '');
  return `<figure class="diagram" v-pre>${svg}</figure>\n`;
}
