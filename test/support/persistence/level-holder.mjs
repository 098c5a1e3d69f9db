/**
 * Holds a LevelDB directory open until it is killed. Usage: node level-holder.mjs <directory>. Prints "open" once it
 * is.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';

const directory = process.argv[2];
const database = new Level(directory);
await database.open();
writeFileSync(join(directory, 'bosun.pid'), String(process.pid));
console.log('open');
// An open database does not keep the process alive; its standard input does.
process.stdin.resume();
