/** Searches for a framework in folders, by their real index. */
import { describe, expect, it } from 'vitest';
import { knowledgePorts } from '../../src/crew-delivery-checks.ts';
import { documentOf } from '../../src/knowledge/document.ts';
import { Finder } from '../../src/knowledge/finder.ts';
import { frameworkFound } from '../../src/machines/delivery/delivery-ports.ts';
import { writeFiles } from '../support/knowledge/fixture-repositories.ts';
import { folderWith, knowing } from '../support/knowledge/folders.ts';

const never = new AbortController().signal;

/** The answer of the port about a folder with these files. */
async function scan(files: Readonly<Record<string, string>>, framework: string) {
  const ports = knowledgePorts(knowing([{ scope: 'shop', path: folderWith(files) }]));
  return frameworkFound.parse(await ports.scan({ framework }, { signal: never }));
}

/** The place in a single file, read in this thread. */
function placeIn(file: string, text: string, framework: string): string | undefined {
  const finder = new Finder();
  finder.put('shop', documentOf(file, text));
  return finder.placeOf(framework);
}

const IN_MANIFEST = {
  'package.json': '{\n  "name": "shop",\n  "dependencies": {\n    "express": "^4"\n  }\n}\n',
  'src/server.ts': "import express from 'express';\n",
};
const ONLY_IMPORTED = {
  'README.md': '# Shop\n\nA shop on the web.\n',
  'src/server.ts': "// The server.\nimport express from 'express';\n\nexpress();\n",
};
const FALLBACK = {
  'package.json': '{\n  "dependencies": {\n    "fastify": "^5",\n    "express-session": "^1"\n  }\n}\n',
  'package-lock.json': '{ "packages": { "node_modules/express": { "version": "4.1.0" } } }\n',
  'README.md': "# Shop\n\nIt ran on Express once:\n\n```js\nimport express from 'express';\n```\n",
  'src/server.ts':
    "// import express from 'express';\nimport Fastify from 'fastify';\nimport { port } from './express/port.ts';\n",
  'src/express/port.ts': 'export const port = 80;\n',
  'examples/old/server.js': "const express = require('express');\n",
};

describe('a search for a framework', () => {
  it('MX-067: finds it in a manifest, with the place, before any import', async () => {
    expect(await scan(IN_MANIFEST, 'Express')).toEqual({ found: 'yes', at: 'package.json:4' });
  });

  it('MX-067: finds it where it is only imported', async () => {
    expect(await scan(ONLY_IMPORTED, 'Express')).toEqual({ found: 'yes', at: 'src/server.ts:2' });
  });

  it('MX-068: finds none in comments, documents, lock files, examples and own files', async () => {
    expect(await scan(FALLBACK, 'Express')).toEqual({ found: 'no', at: null });
    expect(await scan(FALLBACK, 'Fastify')).toEqual({ found: 'yes', at: 'package.json:3' });
  });

  it('MX-070: ends when the time of whoever asks is over, before everything is read', async () => {
    const knowledge = knowing([{ scope: 'shop', path: folderWith(FALLBACK) }]);
    const over = new AbortController();
    const search = knowledge.framework('Express', { signal: over.signal });
    over.abort(new Error('no answer within 30000 ms'));
    await expect(search).rejects.toThrow('no answer within 30000 ms');
    expect(await knowledge.framework('Express')).toEqual({ found: 'no', at: null });
  });

  it('reads files that have come since', async () => {
    const { 'package.json': manifest, ...others } = IN_MANIFEST;
    const path = folderWith({ 'a.txt': 'A shop.\n' });
    const knowledge = knowing([{ scope: 'shop', path }]);
    expect(await knowledge.framework('Express')).toMatchObject({ found: 'no' });
    writeFiles(path, new Map(Object.entries({ 'package.json': manifest, ...others })));
    expect(await knowledge.framework('Express')).toMatchObject({ found: 'yes' });
  });

  it.each([
    ['FastAPI', 'requirements.txt', 'fastapi[standard]>=0.110\n', 1],
    ['FastAPI', 'pyproject.toml', '[project]\ndependencies = [\n  "fastapi>=0.110",\n]\n', 3],
    ['FastAPI', 'app/main.py', 'from fastapi import FastAPI\n', 1],
    ['Django', 'app/urls.py', 'import os\nfrom django.urls import path\n', 2],
    [
      'Spring Boot',
      'pom.xml',
      '<project><dependencies><dependency>\n<artifactId>spring-boot-starter-web</artifactId>\n' +
        '</dependency></dependencies></project>\n',
      2,
    ],
    ['Spring Boot', 'build.gradle', "plugins {\n  id 'org.springframework.boot' version '3.3.0'\n}\n", 2],
    ['Spring Boot', 'src/App.java', 'import org.springframework.boot.SpringApplication;\n', 1],
    ['Express.js', 'package.json', '{\n  "dependencies": {\n    "express": "^4"\n  }\n}\n', 3],
    ['Nest', 'package.json', '{\n  "dependencies": {\n    "@nestjs/core": "^10"\n  }\n}\n', 3],
    ['Gin', 'go.mod', 'module shop\n\nrequire github.com/gin-gonic/gin v1.9.1\n', 3],
  ])('finds %s in %s', (framework, file, text, line) => {
    expect(placeIn(file, text, framework)).toBe(`${file}:${line}`);
  });

  it.each([
    [
      'Express',
      'package.json',
      '{\n  "devDependencies": {\n    "@types/express": "^4",\n    "express-validator": "^7"\n  }\n}\n',
    ],
    ['Express', 'src/a.ts', "import { app } from 'src/express/app.ts';\n"],
    ['Django', 'app/a.py', 'from shop.django import path\n'],
    ['Fastify', 'package.json', '{\n  "dependencies": {\n    "@fastify/cors": "^9"\n  }\n}\n'],
    ['Spring Boot', 'src/App.java', 'import org.springframework.core.Ordered;\n'],
  ])('does not take for %s what is in %s: %j', (framework, file, text) => {
    expect(placeIn(file, text, framework)).toBe(undefined);
  });
});
