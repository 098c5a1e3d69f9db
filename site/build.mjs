/**
 * `npm run site`: writes the API reference from the entry points of the package (site/reference), then builds the site
 * of the documents (site/dist). It fails for a warning of TypeDoc and for a dead link.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';
import { load as typedocMarkdown } from 'typedoc-plugin-markdown';
import { build } from 'vitepress';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8'));

await reference();
await build('site');
console.log(`site/dist is built, with ${Math.round(processorSeconds())} s of processor time`);

async function reference() {
  const app = await Application.bootstrapWithPlugins({
    plugin: [typedocMarkdown],
    entryPoints: Object.values(exports).flatMap((targets) => targets['@bosun/source'] ?? []),
    outputs: [{ name: 'markdown', path: 'site/reference' }],
    tsconfig: 'tsconfig.build.json',
    // Types are checked elsewhere.
    skipErrorChecking: true,
    excludeExternals: true,
    readme: 'none',
    disableSources: true,
    router: 'member',
    // A type that is not exported is shown by its name.
    validation: { notExported: false, invalidLink: true, notDocumented: false },
    treatWarningsAsErrors: true,
    logLevel: 'Warn',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    propertyMembersFormat: 'table',
  });
  const project = await app.convert();
  if (project === undefined) process.exit(1);
  // TypeDoc names modules by their files; a reader imports `bosun/client`.
  for (const module of project.children) module.name = module.name === 'index' ? name : `${name}/${module.name}`;
  app.validate(project);
  await app.generateOutputs(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
}

function processorSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
