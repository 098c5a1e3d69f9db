/** Where the time goes: a V8 CPU profile of a row's own contender, and its summary by function and by place. */
import { mkdir, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { dirname } from 'node:path';

/** Fine enough for functions of a microsecond that run often; finer slows what it watches. */
const SAMPLING_MICROS = 200;

const FUNCTIONS_SHOWN = 30;
const OWN_SHOWN = 25;

/**
 * Profiles the subject of a row after a warm-up.
 *
 * @param settings.file Where the .cpuprofile goes; Chrome's developer tools and VS Code open it.
 */
export async function profileRow(row, { size, directory, file }) {
  const stage = await row.open(row.sizes[size], directory);
  try {
    await stage.subject();
    await stage.subject();
    globalThis.gc?.();
    const profile = await profiled(stage.subject);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(profile));
    return { file, ...summarise(profile) };
  } finally {
    await stage.close();
  }
}

async function profiled(run) {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_MICROS });
    await session.post('Profiler.start');
    await run();
    return (await session.post('Profiler.stop')).profile;
  } finally {
    session.disconnect();
  }
}

/**
 * @param profile As in a .cpuprofile file.
 * @returns Milliseconds in total; per function those of its own and those with all it called; per place its own; of our
 * own functions those that cost most with all they called.
 */
export function summarise({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const functions = new Map();
  for (const [id, micros] of selfTimes(samples, timeDeltas)) {
    if (isProfiler(id, byId, parents)) continue;
    const own = entry(functions, byId.get(id).callFrame);
    own.selfMs += micros / 1_000;
    // A function that calls itself must not count twice.
    const counted = new Set();
    for (let at = id; at !== undefined; at = parents.get(at)) {
      const caller = entry(functions, byId.get(at).callFrame);
      if (!counted.has(caller)) caller.totalMs += micros / 1_000;
      counted.add(caller);
    }
  }
  const all = [...functions.values()].sort((a, b) => b.selfMs - a.selfMs);
  const own = all.filter(({ isOwn }) => isOwn).sort((a, b) => b.totalMs - a.totalMs);
  return { totalMs: sumOf(all), places: placesOf(all), functions: all.slice(0, FUNCTIONS_SHOWN), own: own.slice(0, OWN_SHOWN) };
}

function selfTimes(samples, timeDeltas) {
  const micros = new Map();
  samples.forEach((id, index) => micros.set(id, (micros.get(id) ?? 0) + timeDeltas[index]));
  return micros;
}

/** Starting the profiler takes half a second that is nobody's but its own. */
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
    functions.set(key, (found = { name: functionName || '(anonymous)', place, where: `${place}${line}`, isOwn: isOwn(url), selfMs: 0, totalMs: 0 }));
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
  const bench = /\/(bench\/.*)$/.exec(url);
  if (bench !== null) return bench[1];
  return url.startsWith('node:') ? 'node' : 'engine';
}

function placesOf(functions) {
  const places = new Map();
  for (const { name, place, selfMs } of functions) {
    // Idle time and collections are worth a line of their own.
    const key = place === 'engine' && name.startsWith('(') ? name : place;
    places.set(key, (places.get(key) ?? 0) + selfMs);
  }
  return [...places].map(([place, selfMs]) => ({ place, selfMs })).sort((a, b) => b.selfMs - a.selfMs);
}

function sumOf(functions) {
  return functions.reduce((sum, { selfMs }) => sum + selfMs, 0);
}
