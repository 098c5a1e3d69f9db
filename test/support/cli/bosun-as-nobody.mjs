/**
 * `bosun` for root without the rights of root, who may read everything. They are given up when the plan is opened:
 * until then the modules are loaded, which may lie where another user cannot enter.
 */
import files from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const NOBODY = 65_534;

const { createReadStream } = files;
files.createReadStream = (...args) => {
  process.setgroups([]);
  process.setegid(NOBODY);
  process.seteuid(NOBODY);
  return createReadStream(...args);
};
syncBuiltinESMExports();
await import('../../../dist/cli/main.js');
