/**
 * The package as a user gets it: the tarball of the last build, installed into a folder of its own. The lock file of
 * the folder names the releases that the repository is locked to. npm has them in its cache since the installation of
 * the repository, so it needs no registry.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { showsBy } from './shown-by.ts';

const run = promisify(execFile);

const ROOT = resolve(import.meta.dirname, '../..');

/** The list of files is long. */
const OUTPUT_BYTES_MAX = 16e6;

/** A package in a lock file. */
interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface Packed {
  /** The path of the tarball. */
  readonly tarball: string;
  readonly bytes: number;
  /** The paths within the package. */
  readonly files: readonly string[];
}

export class Installed {
  readonly #above = mkdtempSync(join(tmpdir(), 'bosun-package-'));
  readonly path = join(this.#above, 'app');

  /** Packs the last build. */
  async pack(): Promise<Packed> {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', this.#above];
    const { stdout } = await run('npm', args, { cwd: ROOT, maxBuffer: OUTPUT_BYTES_MAX });
    const [{ filename, size, files }] = JSON.parse(stdout) as [
      { readonly filename: string; readonly size: number; readonly files: readonly { readonly path: string }[] },
    ];
    return { tarball: join(this.#above, filename), bytes: size, files: files.map(({ path }) => path) };
  }

  /**
   * Installs a tarball with what it needs.
   *
   * @param others Further packages, in the releases of the repository.
   * @returns The paths of the installed packages in `node_modules`, without those.
   */
  async install(tarball: string, others: readonly string[] = []): Promise<readonly string[]> {
    showsBy('package');
    mkdirSync(this.path);
    const own = neededBy(tarball, []);
    const packages = neededBy(tarball, others);
    const versions = others.map((name) => [name, (packages[`node_modules/${name}`] as { version: string }).version]);
    const dependencies = { bosun: `file:${tarball}`, ...(Object.fromEntries(versions) as Record<string, string>) };
    this.write('package.json', JSON.stringify({ private: true, type: 'module', dependencies }));
    const locked = { '': { dependencies }, ...packages };
    this.write('package-lock.json', JSON.stringify({ lockfileVersion: 3, requires: true, packages: locked }));
    await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: this.path });
    const { packages: there } = JSON.parse(this.read('node_modules/.package-lock.json')) as { packages: object };
    return Object.keys(there).filter((path) => path in own || !(path in packages));
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), 'utf8');
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.path, file), text);
  }

  [Symbol.dispose](): void {
    rmSync(this.#above, { recursive: true, force: true });
  }
}

/** Bosun and the packages that it needs, with its peers and other packages, as a lock file has them. */
function neededBy(tarball: string, others: readonly string[]): Readonly<Record<string, object>> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const { devDependencies, ...bosun } = packages[''] as Locked & { readonly devDependencies?: object };
  const needed = new Map<string, object>([['node_modules/bosun', { ...bosun, resolved: `file:${tarball}` }]]);
  const visit = (from: string, { dependencies, optionalDependencies, peerDependencies, ...of }: Locked): void => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      if (of.peerDependenciesMeta?.[name]?.optional === true) continue;
      const path = placeOf(name, from);
      if (path === undefined || needed.has(path)) continue;
      const { dev, ...rest } = packages[path] as Locked & { readonly dev?: boolean };
      needed.set(path, rest);
      visit(path, rest);
    }
  };
  const placeOf = (name: string, from: string): string | undefined => {
    for (let at = from; ; at = dirname(at)) {
      const path = join(at, 'node_modules', name);
      if (path in packages) return path;
      if (at === '.' || at === '') return undefined;
    }
  };
  visit('', bosun);
  visit('', { dependencies: Object.fromEntries(others.map((name) => [name, '*'])) });
  return Object.fromEntries(needed);
}
