/**
 * Abilities: pieces of knowledge that agents are given. No ability has the name of an agent (seed 003, 5.4): an ability
 * is knowledge, an agent acts. Pure data.
 */

/** An ability. */
export interface Ability {
  readonly abilityId: string;
  /** The instructions for the agent. */
  readonly text: string;
}

/** New names of abilities that were renamed, by old name: an agent has the old name or nearly the same one (AC-034). */
export const RENAMED_ABILITIES: Readonly<Record<string, string>> = {
  security: 'security-practices',
  'code-review': 'review-checklist',
};

const TEXTS: Readonly<Record<string, string>> = {
  'accessibility-checklist':
    'Everything works by keyboard in a sensible order. Controls have names that a screen reader can say. Text keeps ' +
    'its ' +
    'contrast in every theme and grows without being cut. Nothing is told by colour alone.',
  'api-conventions':
    'Names are nouns, verbs are those of HTTP. Lists have pages, errors have a code and a way out, writes can be ' +
    'repeated with the same key. What was published once stays readable.',
  'architecture-patterns':
    'Know what each pattern makes easy and what it makes hard: layers, ports and adapters, events, queues, sagas, ' +
    'caches. Choose by the change and the failure that you expect, and say which.',
  'brand-voice':
    'A brand has three traits and their opposites. Read each text aloud: would the brand say that? Consistent beats ' +
    'clever.',
  'business-planning': 'Write assumptions beside figures. Show the case in which it fails. Compare with doing nothing.',
  'campaign-planning':
    'One audience, one message, one wish. Fix how success is measured before anything is published. Plan the last ' +
    'day ' +
    'first.',
  'chart-choice':
    'Compare by length, show change by a line, parts by few parts. Begin bars at zero. Say in the title what the ' +
    'chart ' +
    'shows.',
  'contract-safety':
    'Check, change state, then call. Assume that every caller is hostile and every call can come back. Bound loops, ' +
    'name who may pause or upgrade, and test with random calls.',
  'data-modelling':
    'A table is about one thing. Keys do not change. Say which rows may be missing, what is unique, and how history ' +
    'is ' +
    'kept. Write the five most frequent questions down before the schema.',
  'debugging-method':
    'See it fail first. Halve the distance between what works and what does not. Change one thing at a time, and ' +
    'leave ' +
    'a test behind.',
  'decision-records':
    'Context, choice, what was not chosen and why, price. One page, dated, never edited afterwards but replaced.',
  'deployment-checklist':
    'Can it be rolled back? Does it run beside the old version? Who sees that it is ill, and how soon? Migrations go ' +
    'first and can be read by both versions.',
  'documentation-style':
    'Say what it is, then how to use it, then why. Every command in the text runs. One term for one thing.',
  'flight-mechanics':
    'State frame, epoch and units. Use conservation of energy and momentum before a simulation. Carry margins with ' +
    'every mass.',
  'incident-runbook':
    'Stop the harm, tell people, then look for causes. Keep a log with times. Change one thing at a time. Afterwards ' +
    'ask what made it possible, not who did it.',
  'information-structure':
    'Separate learning, doing, looking up and understanding. A reader must see from the title whether to read on.',
  'infrastructure-practices':
    'Everything is code and reviewed. Machines are replaced, not repaired. Rights are as small as the job. Costs ' +
    'have ' +
    'an owner.',
  'interface-patterns':
    'Components own little state. Loading, empty, failed and full are four designs. What is typed is never lost.',
  'market-sizing':
    'Count customers from below and spending from above, and explain the gap. Name the source of each figure.',
  'mobile-patterns':
    'Assume no network, little memory, and an interruption at any moment. Follow the conventions of each platform.',
  'model-evaluation-guide':
    'Split before you look. Compare with a simple rule. Report by group and with spread. Read the worst hundred ' +
    'errors.',
  'model-operations':
    'Data, code, parameters and model have versions that belong together. Watch input before output. Practise going ' +
    'back.',
  'plain-language': 'Short sentences, common words, the answer first.',
  'prioritisation-methods':
    'Order by value against effort and by what is learnt. Say what is not done. One owner decides.',
  profiling: 'Measure on data of real size. Find the part that takes most, change it, measure again. Keep the figures.',
  'quantum-foundations':
    'States are vectors, gates are unitary, measurement is not. Count qubits, depth and shots. Compare with the best ' +
    'classical way.',
  'research-method':
    'Write the question down. Search widely, then read closely. Keep what was found apart from what it means.',
  'review-checklist':
    'Does it do what it says? What if the input is empty, huge or hostile? What is not tested? Is there a simpler ' +
    'way? ' +
    'Say which remarks must be met and which are taste.',
  'security-practices':
    'Check what comes in at the border. Give the least right that works. Keep secrets out of code and logs. Use ' +
    'known ' +
    'cryptography. Update what you depend on.',
  'source-evaluation-guide':
    'Who says it, how do they know, who pays, when was it, who disagrees? Prefer the first source.',
  'statistical-method':
    'Fix the question before the test. Look at the data. Give intervals. Correct for many comparisons. Chance ' +
    'explains ' +
    'much.',
  'story-writing':
    'As whom, what, and why. Acceptance is a list that somebody else can check. Small enough for a week.',
  'technology-radar': 'Adopt, try, assess, hold: each with a reason and a date. Nothing is adopted that nobody runs.',
  'testing-strategy':
    'Many small tests, some of whole parts, few of everything. Test behaviour that people rely on. A flaky test is a ' +
    'fault.',
  'threat-modelling-guide':
    'Draw what flows where. At each border ask who could lie, change, deny, read, stop or rise. Rank by harm and ease.',
};

/** The abilities of the package, by id. */
export const ABILITIES: ReadonlyMap<string, Ability> = new Map(
  Object.entries(TEXTS).map(([abilityId, text]) => [abilityId, { abilityId, text }]),
);
