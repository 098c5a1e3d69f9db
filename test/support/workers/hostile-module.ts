/** The module of workers with hostile agents, bundled from TypeScript on the built files of Bosun. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SOURCES = join(ROOT, 'src/');

/** Writes the module into a directory. One copy of Bosun is in a thread: what agents import is what runs them. */
export async function hostileModule(directory: string): Promise<URL> {
  const build = await rolldown({
    input: join(import.meta.dirname, 'hostile-worker.ts'),
    platform: 'node',
    plugins: [
      {
        name: 'built files',
        resolveId(id, importer) {
          if (!id.startsWith('.'))
            return importer === undefined ? null : { id: import.meta.resolve(id), external: true };
          const path = join(importer ?? '', '..', id);
          if (!path.startsWith(SOURCES)) return null;
          const built = join(ROOT, 'dist', path.slice(SOURCES.length).replace(/\.ts$/, '.js'));
          // A file of types alone has no code.
          return existsSync(built) ? { id: pathToFileURL(built).href, external: true } : null;
        },
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  const file = join(directory, 'hostile.mjs');
  writeFileSync(file, output[0].code);
  return pathToFileURL(file);
}
