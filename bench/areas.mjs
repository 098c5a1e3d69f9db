/** What a function is part of, for the table that says where the time goes. The first rule that fits is the one. */

const ENCODING_FILES = 'codec|structures|dictionary|envelope|keys|bytes|epoch-format|plain-references|key-ring';

const RULES = [
  ['step', /^actors\/(xstate\/|engine|state|definition)|^xstate$/],
  ['admission', /^actors\/(turn\/(admission|prepare)|agent|event-keys)|^zod$/],
  ['turn', /^actors\/turn\//],
  ['door', /^actors\/(door|talk)\/|^system/],
  ['mailbox', /^actors\/mailbox\//],
  ['tracing', /^actors\/tracing\//],
  ['supervision', /^supervisor\/|^actors\/bosses/],
  ['encoding', new RegExp(`^persistence/(${ENCODING_FILES})|^msgpackr|^checksum`)],
  ['store', /^persistence\/(level|memory-store|file-notes)|^(abstract-level|classic-level|level|level-.*)$/],
  ['journal', /^persistence\/|^actors\/epoch\//],
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
