/**
 * Bundles the page into dist/inspector: one script, one style sheet, an icon and the document. Preact is bundled, so
 * users of Bosun need not install it. Run by `npm run build`, after the compiler.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TARGET = fileURLToPath(new URL('../../dist/inspector', import.meta.url));

/** Matches a member of an enum as TypeScript compiles it: `Flags[Flags["Dirty"] = 16] = "Dirty"`. */
const ENUM_MEMBER = /(\w+)\[\1\["(\w+)"\] = (\d+)\] = "\2"/g;

/** Replaces the members of a module's own enums by their numbers, since the bundler does not see through the object. */
const enums = {
  name: 'enums',
  transform: (code) =>
    [...code.matchAll(ENUM_MEMBER)].reduce(
      (text, [, of, member, number]) => text.replaceAll(new RegExp(`\\b${of}\\.${member}\\b`, 'g'), number),
      code,
    ),
};

/** Leaves out the check of the client's options, because the compiler has checked those of the page. */
const unchecked = {
  name: 'unchecked options',
  transform: (code, id) =>
    id.endsWith('/client/client-rules.ts')
      ? `import { ClientError } from './client-error.ts';
        export const checkClientOptions = () => {};
        export const clientInvalid = (problem) => new ClientError('BOSUN_CONFIG_INVALID', problem);`
      : code,
};

const build = await rolldown({
  input: join(HERE, 'main.tsx'),
  platform: 'browser',
  tsconfig: join(HERE, 'tsconfig.json'),
  plugins: [enums, unchecked],
});
// Annotations of side effects are for bundlers; the page is not bundled again, and they are a tenth of its size.
await build.write({ file: join(TARGET, 'app.js'), format: 'esm', minify: true, comments: { annotation: false } });
await build.close();

// The compiler has written this file before.
const { CHART_STYLE } = await import('../../dist/gateway/charts/style.js');
mkdirSync(TARGET, { recursive: true });
const style = readFileSync(join(HERE, 'app.css'), 'utf8') + CHART_STYLE;
// Remove comments, optional white space, and the semicolon after a last declaration.
const small = style
  .replace(/\/\*.*?\*\//gs, '')
  .replace(/\s*([{};,])\s*/g, '$1')
  .replace(/(: | > )/g, (text) => text.trim())
  .replaceAll(';}', '}');
writeFileSync(join(TARGET, 'app.css'), small);
for (const file of ['index.html', 'icon.svg']) cpSync(join(HERE, file), join(TARGET, file));
