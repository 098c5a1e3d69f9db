/**
 * Writes the OpenAPI and AsyncAPI documents of the gateway's own methods into dist/schema. Run by `npm run build`,
 * after the compiler.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { asyncapi, openapi } from '../dist/gateway/network/documents.js';

const TARGET = new URL('../dist/schema/', import.meta.url);

mkdirSync(TARGET, { recursive: true });
for (const [name, made] of Object.entries({ openapi, asyncapi }))
  writeFileSync(new URL(`${name}.json`, TARGET), `${JSON.stringify(made(), null, 2)}\n`);
