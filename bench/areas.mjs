/** The area that a function belongs to, for the table of time by area. The first matching rule counts. */

const ENCODING_FILES = 'codec|structures|dictionary|envelope|keys|bytes|epoch-format|plain-references|key-ring';

const RULES = [
  ['step', /^actors\/xstate\/|^xstate$/],
  ['admission', /^actors\/(model\/((value|change|event)-check|plain-values|thrown|event-keys)|turn\/prepare)|^zod$/],
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
 * All areas, in the order of the table. `step` is machine code of XState and Bosun; `kernel` is the rest of src/actors.
 */
export const AREAS = [...RULES.map(([area]) => area), 'node'];

/**
 * @param place As profile.mjs names it: a file of dist, a package, a file of bench, `node`, `engine`.
 * @param name The function's name; V8 lists collections and idle time as functions of the engine.
 */
export function areaOf(place, name) {
  const text = place === 'engine' && name.startsWith('(') ? name : place;
  return RULES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'node';
}
