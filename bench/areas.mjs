/** What a function is part of, for the table that says where the time goes. The first rule that fits is the one. */

const ENCODING_FILES = 'codec|structures|dictionary|envelope|keys|bytes|epoch-format|plain-references|key-ring';

const RULES = [
  ['step', /^actors\/xstate\/|^xstate$/],
  ['admission', /^actors\/(model\/(value-check|event-keys)|turn\/prepare)|^zod$/],
  ['turn', /^actors\/(turn\/|model\/state)|^(table|tree)/],
  ['api', /^actors\/(api|loop\/inbound|world\/talk)\/|^system/],
  ['mailbox', /^actors\/world\/mailbox\//],
  ['tracing', /^actors\/world\/tracing\//],
  ['supervision', /^supervisor\/|^actors\/world\/bosses/],
  ['encoding', new RegExp(`^persistence/(${ENCODING_FILES})|^msgpackr|^checksum`)],
  ['store', /^persistence\/(level|memory-store|file-notes)|^(abstract-level|classic-level|level|level-.*)$/],
  ['journal', /^persistence\/|^actors\/(loop\/(commit-line|release|durable-view)|world\/epoch-draft)/],
  ['gateway', /^gateway\/|^(ws|jose)$/],
  ['kernel', /^actors\/|^clock/],
  ['bench', /^bench\//],
  ['collector', /^\(garbage collector\)$/],
  ['idle', /^\(idle\)$/],
];

/**
 * All there are, in the order of the table. `step` is XState's and ours of machines; `kernel` the rest of src/actors.
 */
export const AREAS = [...RULES.map(([area]) => area), 'node'];

/**
 * @param place As profile.mjs names it: a file of dist, a package, a file of bench, `node`, `engine`.
 * @param name Of the function; collections and idle time are functions of the engine to V8.
 */
export function areaOf(place, name) {
  const text = place === 'engine' && name.startsWith('(') ? name : place;
  return RULES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'node';
}
