/**
 * Whether a dependency or an import is one of a framework, whose name people write otherwise than its packages have it:
 * "Spring Boot" is in `spring-boot-starter-web` and in `org.springframework.boot`, and "Express.js" is `express`. Pure.
 */
import { isNamed } from './manifests.ts';
import { type Statement } from './statement.ts';

/** The words behind the name of a framework in its own packages. Others are made for it by somebody else. */
const OWN_PARTS = 'starter|core|parent|bom|dependencies|autoconfigure|maven|gradle';
const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/;
/** Matches paths of the repository itself. */
const OWN_PATH = /^(?:[./~#]|@\/)/;

/** Whether a statement of a file is a dependency on a framework or an import of it. */
export function usesFramework(file: string, { form, name }: Statement, framework: string): boolean {
  if ((form !== 'dependency' && form !== 'import') || OWN_PATH.test(name)) return false;
  // A file within a package, or a module of one's own, may have any name.
  const root = file.endsWith('.py') ? /^[^.]*/ : SCRIPT.test(file) ? /^(?:@[^/]+\/)?[^/]*/ : /.*/;
  const module = form === 'dependency' ? name : root.exec(name)![0];
  const short = framework.trim().replace(/(?<=\w)[. ]?js$/i, '');
  if ([framework, short, `${short}js`].some((wanted) => isNamed(module, wanted))) return true;
  // Parts of a name, or adjacent ones of a domain. Packages of a scope are named by it.
  const words = short.toLowerCase().replaceAll(/[^a-z0-9]+/g, '(?:framework)?[.-]');
  const family = new RegExp(`(?:^|[/:.])${words}(?:-(?:${OWN_PARTS})(?:-[^/:]*)?)?(?:$|[/:.])`);
  return !module.startsWith('@') && family.test(module.toLowerCase());
}
