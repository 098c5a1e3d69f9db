/** HUB8: the lineage of very many work plans: of one plan, of one role over all plans, the tree of a run, and bytes. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { empty, fill, lineageSystem, ROLES, runOf, settledBytes } from '../lineage-store.mjs';
import { inTurn } from '../rounds.mjs';
import { percentile } from '../statistics.mjs';

const READS = 1_000;
const TREES = 100;
const EACH = 100;
const LARGE_SESSIONS = 1_000;

const plansOf = (count, prefix) => Array.from({ length: count }, (_, n) => `${prefix}-${n + 1}`);
const anyOf = (list) => list[Math.floor(Math.random() * list.length)];

/** Latencies of reads, one after the other, each of which gives so many records that fit. */
async function timesOf(count, wanted, read) {
  const times = { wall: [], processor: [] };
  for (let n = 0; n < count; n++) {
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    const { records, fits } = await read(n);
    times.wall.push(performance.now() - startMs);
    const { user, system } = process.cpuUsage(cpu);
    times.processor.push((user + system) / 1_000);
    if (records.length !== wanted || !records.every(({ value }) => fits(value)))
      throw new Error(`${records.length} records were read instead of ${wanted}, or others`);
  }
  return times;
}

async function reads(directory, plans, largePlans) {
  const system = await lineageSystem(directory);
  const { records } = system;
  const ofPlan = await timesOf(READS, EACH, async () => {
    const plan = anyOf(plans);
    const page = await records.list(`work-plans/${plan}`, 'lineage', { limit: EACH });
    return { ...page, fits: (entry) => entry.plan === plan };
  });
  const ofRole = await timesOf(READS, EACH, async (n) => {
    const role = ROLES[n % ROLES.length];
    const page = await records.find('work-plan', 'lineage', ['from', role], { newestFirst: true, limit: EACH });
    return { ...page, fits: (entry) => entry.from === role };
  });
  const ofRun = await timesOf(TREES, LARGE_SESSIONS, async () => {
    const run = runOf(anyOf(largePlans));
    const page = await records.find('work-plan', 'sessions', ['run', run], { limit: LARGE_SESSIONS });
    return { ...page, fits: (session) => session.run === run };
  });
  await system.stop();
  return {
    planP50Ms: percentile(ofPlan.wall, 0.5),
    planP99Ms: percentile(ofPlan.wall, 0.99),
    planCpuP99Ms: percentile(ofPlan.processor, 0.99),
    roleP50Ms: percentile(ofRole.wall, 0.5),
    roleP99Ms: percentile(ofRole.wall, 0.99),
    roleCpuP99Ms: percentile(ofRole.processor, 0.99),
    treeP50Ms: percentile(ofRun.wall, 0.5),
    treeP99Ms: percentile(ofRun.wall, 0.99),
    treeCpuP99Ms: percentile(ofRun.processor, 0.99),
  };
}

/** Bytes on disk of an entry: the same sessions with a hand-off and without. */
async function entryBytes(directory, plans) {
  const bytes = [];
  for (const handsOff of [true, false]) {
    await empty(directory);
    await fill(directory, plansOf(plans, 'WP'), { sessions: EACH, handsOff });
    bytes.push(await settledBytes(directory));
  }
  return (bytes[0] - bytes[1]) / (plans * EACH);
}

export const lineage = {
  name: 'HUB8',
  title: 'Lineage of many plans',
  about: ({ plans, largePlans, counted }) =>
    `${(plans * EACH).toLocaleString('en')} entries of lineage over ${plans.toLocaleString('en')} work plans, ` +
    `${EACH} each, and ${largePlans} plans with a run of ${LARGE_SESSIONS.toLocaleString('en')} sessions (LevelDB, ` +
    'durability `process`, 1,000 actors resident, all compacted). The work plans have taken the events by which each ' +
    'session opens and hands off, and in the large runs completes. **full**: the ' +
    'lineage of random plans, the last hand-offs of one role over all plans, and the sessions of the large runs, one ' +
    `read after the other. **entry**: what each of ${(counted * EACH).toLocaleString('en')} entries with its four ` +
    'keys takes on disk, as the difference between these sessions with a hand-off and without one; its reason is ' +
    'random text of 64 characters.',
  sizes: { full: { plans: 10_000, largePlans: 20, counted: 300 }, quick: { plans: 30, largePlans: 2, counted: 30 } },
  ratios: [
    { name: 'the lineage of a plan of 100 hand-offs, p99', of: ({ full }) => full.planP99Ms, atMost: 5, unit: ' ms' },
    { name: 'the same, processor time', of: ({ full }) => full.planCpuP99Ms, unit: ' ms' },
    { name: 'the last 100 hand-offs of a role, p99', of: ({ full }) => full.roleP99Ms, unit: ' ms' },
    { name: 'the tree of a run of 1,000 sessions, p99', of: ({ full }) => full.treeP99Ms, unit: ' ms' },
    {
      ...{ name: 'an entry of lineage on disk', goal: 'HUB9', of: ({ entry }) => entry.bytesEach },
      ...{ atMost: 600, unit: ' B' },
    },
  ],

  async open({ plans, largePlans, counted }, directory) {
    const [full, small] = [join(directory, 'full'), join(directory, 'small')];
    const [many, large] = [plansOf(plans, 'WP'), plansOf(largePlans, 'WL')];
    const bytesEach = await entryBytes(small, counted);
    await empty(full);
    const startMs = performance.now();
    await fill(full, many, { sessions: EACH, completes: false });
    const entriesPerSecond = (plans * EACH * 1_000) / (performance.now() - startMs);
    await fill(full, large, { sessions: LARGE_SESSIONS });
    const bytes = await settledBytes(full);
    const subject = () => reads(full, many, large);
    return {
      subject,
      round: inTurn({ full: subject, entry: () => ({ bytesEach, entriesPerSecond, storeMegabytes: bytes / 1e6 }) }),
      close: () => rm(directory, { recursive: true, force: true }),
    };
  },
};
