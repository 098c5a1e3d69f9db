import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { memoryStore } from '../../src/persistence/store/memory-store.ts';
import { type Store } from '../../src/actors/model/ports.ts';
import { faultyStore } from '../../src/testing/faulty-store.ts';
import { storeConformance, type StoreUnderTest } from '../../src/testing/store-conformance.ts';

async function inMemory(store: Store): Promise<StoreUnderTest> {
  await store.open();
  const reopen = async () => {
    await store.close();
    await store.open();
    return store;
  };
  return { store, reopen, dispose: () => store.close() };
}

async function onLevel(): Promise<StoreUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), 'bosun-store-'));
  const first = levelStore(directory);
  let store = first;
  await store.open();
  const reopen = async () => {
    await store.close();
    store = levelStore(directory);
    await store.open();
    return store;
  };
  const dispose = async () => {
    await store.close();
    await rm(directory, { recursive: true });
  };
  return { store: first, reopen, dispose };
}

storeConformance('level', { describe, it }, onLevel);
storeConformance('memory', { describe, it }, () => inMemory(memoryStore()));
storeConformance('faulty memory', { describe, it }, () => inMemory(faultyStore()));
