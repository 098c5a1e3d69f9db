/** Profiles: a V8 CPU profile of a row's own contender, and its summary by function and by area. */
import { mkdir, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { dirname } from 'node:path';
import { setImmediate as nextBreath } from 'node:timers/promises';
import { areaOf } from './areas.mjs';

/**
 * Interval of samples: fine enough for functions of a microsecond that run often; a finer one slows the code under
 * measurement.
 */
const SAMPLING_MICROS = 200;

const FUNCTIONS_SHOWN = 15;
const OWN_SHOWN = 15;

/**
 * Profiles the subject of a row after a warm-up.
 *
 * @param settings.file The path of the .cpuprofile, which Chrome's developer tools and VS Code open.
 */
export async function profileRow(row, { size, directory, file }) {
  const stage = await row.open(row.sizes[size], directory);
  try {
    await stage.subject();
    await stage.subject();
    globalThis.gc?.();
    const { begin, end } = stage.profiler ?? profiler();
    await begin();
    // Work that starts in the same turn as the profiler counts as the profiler's own.
    await nextBreath();
    await stage.subject();
    const profile = await end();
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(profile));
    return { file, ...summarise(profile) };
  } finally {
    await stage.close();
  }
}

/** The profiler of this process. @returns `begin()`, and `end()`, which resolves with the samples in between. */
export function profiler() {
  const session = new Session();
  return {
    async begin() {
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_MICROS });
      await session.post('Profiler.start');
    },
    async end() {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      return profile;
    },
  };
}

/**
 * @param profile As in a .cpuprofile file.
 * @returns Milliseconds in total; per function those of its own and those with all it called; per area its own; of our
 * own functions those that cost most with all they called.
 */
export function summarise({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const functions = new Map();
  const areas = {};
  for (const [id, micros] of selfTimes(samples, timeDeltas)) {
    if (isProfiler(id, byId, parents)) continue;
    const area = areaAt(id, byId, parents);
    areas[area] = (areas[area] ?? 0) + micros / 1_000;
    const own = entry(functions, byId.get(id).callFrame);
    own.selfMs += micros / 1_000;
    // A recursive function must not count twice.
    const counted = new Set();
    for (let at = id; at !== undefined; at = parents.get(at)) {
      const caller = entry(functions, byId.get(at).callFrame);
      if (!counted.has(caller)) caller.totalMs += micros / 1_000;
      counted.add(caller);
    }
  }
  const all = [...functions.values()].sort((a, b) => b.selfMs - a.selfMs);
  const own = all.filter(({ isOwn }) => isOwn).sort((a, b) => b.totalMs - a.totalMs);
  return { totalMs: sumOf(all), areas, functions: all.slice(0, FUNCTIONS_SHOWN), own: own.slice(0, OWN_SHOWN) };
}

function selfTimes(samples, timeDeltas) {
  const micros = new Map();
  samples.forEach((id, index) => micros.set(id, (micros.get(id) ?? 0) + timeDeltas[index]));
  return micros;
}

/** Whether a node belongs to the profiler, whose start takes half a second of its own. */
function isProfiler(id, byId, parents) {
  for (let at = id; at !== undefined; at = parents.get(at)) {
    if (byId.get(at).callFrame.url.startsWith('node:inspector')) return true;
  }
  return false;
}

function entry(functions, { functionName, url, lineNumber }) {
  const place = placeOf(url);
  const key = `${functionName} ${url}:${lineNumber}`;
  let found = functions.get(key);
  if (found === undefined) {
    const line = place === 'engine' ? '' : `:${lineNumber + 1}`;
    functions.set(
      key,
      (found = {
        name: functionName || '(anonymous)',
        place,
        where: `${place}${line}`,
        isOwn: isOwn(url),
        selfMs: 0,
        totalMs: 0,
      }),
    );
  }
  return found;
}

function isOwn(url) {
  return url.includes('/dist/') && !url.includes('/node_modules/');
}

function placeOf(url) {
  if (isOwn(url)) return url.slice(url.lastIndexOf('/dist/') + '/dist/'.length);
  const packaged = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url);
  if (packaged !== null) return packaged[1];
  if (url.includes('/bench/')) return url.slice(url.lastIndexOf('/bench/') + 1);
  return url.startsWith('node:') ? 'node' : 'engine';
}

/** The area of a node. Built-in functions, and those of LevelDB's binding, belong to their caller. */
function areaAt(id, byId, parents) {
  const { functionName, url } = byId.get(id).callFrame;
  const caller = parents.get(id);
  if (url !== '' || functionName.startsWith('(') || caller === undefined) return areaOf(placeOf(url), functionName);
  return areaAt(caller, byId, parents);
}

function sumOf(functions) {
  return functions.reduce((sum, { selfMs }) => sum + selfMs, 0);
}
