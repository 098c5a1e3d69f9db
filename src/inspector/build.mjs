/**
 * Bundles the page into dist/inspector: one script, one style sheet, an icon and the document. Preact goes in, so
 * whoever installs Bosun installs nothing more. Run by `npm run build`, after the compiler.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TARGET = fileURLToPath(new URL('../../dist/inspector', import.meta.url));

const build = await rolldown({
  input: join(HERE, 'main.tsx'),
  platform: 'browser',
  tsconfig: join(HERE, 'tsconfig.json'),
});
await build.write({ file: join(TARGET, 'app.js'), format: 'esm', minify: true });
await build.close();

// The compiler has made this a moment before.
const { CHART_STYLE } = await import('../../dist/gateway/charts/style.js');
mkdirSync(TARGET, { recursive: true });
writeFileSync(join(TARGET, 'app.css'), readFileSync(join(HERE, 'app.css'), 'utf8') + CHART_STYLE);
for (const file of ['index.html', 'icon.svg']) cpSync(join(HERE, file), join(TARGET, file));
