/**
 * The verbs for commands that work in the session of a spoke: handoff, session complete. Help leaves them out, since
 * nobody else can use them.
 */
import { Option } from 'commander';
import { ROLES } from '../../machines/hub/roles.ts';
import { type CompleteOptions, type HandoffOptions } from './session-command.ts';
import { option, type Verb, type VerbGroup, wholeNumber } from '../verb.ts';

const IN_SESSION = 'Only inside the session of a spoke, which `bosun hub run` begins.';

const several = (text: string, before: readonly string[] | undefined) => [...(before ?? []), text];

const HANDOFF: Verb = {
  usage: 'handoff',
  says: 'Hand off: say how the work of this session ended, and whom it recommends.',
  isHidden: true,
  hasData: false,
  examples: [
    'handoff --recommend Reviewer --reason "the parser is mended"',
    'handoff --outcome approved --recommend Tester --reason "it builds" --build "make"',
    'handoff --reason "src/db.ts has to change" --recommend Revisionist --with escalation.json',
  ],
  notes: [IN_SESSION],
  options: [
    option('--reason <text>', 'why, in a sentence').makeOptionMandatory(),
    new Option('--recommend <role>', 'who is next (default: nobody)').choices([...ROLES]),
    option('--outcome <outcome>', "an outcome of the table of the session's role"),
    new Option('--to <role>', 'who gets control back (default: the hub)').choices([...ROLES]),
    option('--build <command>', 'the command that verified the work'),
    option('--build-exit <code>', 'its exit code (default: 0)', wholeNumber),
    option('--tests-pass', 'the tests passed that ran last'),
    option('--tests-fail', 'some of them failed').conflicts('testsPass'),
    option('--with <file>', 'JSON object with blockers, next_steps, findings and so on; - reads stdin'),
  ],
  async run({ data, command }) {
    const { handoffCommand } = await import('./session-command.ts');
    return handoffCommand(data, command.opts<HandoffOptions>());
  },
};

const COMPLETE: Verb = {
  usage: 'complete',
  says: 'Complete the session, behind its hand-off.',
  hasData: false,
  examples: ['session complete --summary "3 files changed"', 'session complete --summary done --artifact report.md'],
  notes: [IN_SESSION],
  options: [
    option('--summary <text>', 'what was done').makeOptionMandatory(),
    new Option('--artifact <path>', 'something that was made; may be repeated').argParser(several),
  ],
  async run({ data, command }) {
    const { completeCommand } = await import('./session-command.ts');
    return completeCommand(data, command.opts<CompleteOptions>());
  },
};

const TOOL: Verb = {
  usage: 'tool',
  says: 'Call the tool of an MCP server that stdin names, and hand off what it gives.',
  hasData: false,
  isHidden: true,
  examples: ['session tool < call.json'],
  notes: ['`bosun hub run` starts it for agents with "mcp".'],
  async run({ data }) {
    const { toolCommand } = await import('./session-tool.ts');
    return toolCommand(data);
  },
};

export const SESSION_VERBS: readonly (Verb | VerbGroup)[] = [
  HANDOFF,
  { name: 'session', says: 'The session of a spoke.', isHidden: true, verbs: [COMPLETE, TOOL] },
];
