/**
 * Rows of the requirements catalogue that tests show, by seed: rules by number, examples by E and number. The catalogue
 * has the text of each row; the test's title says which part of it the test shows.
 */

/**
 * The layers through which a test shows a row, the weakest first. `files`: files of the repository, of which nothing
 * runs. `rule`: functions alone. `system`: real machines in a system, with stand-ins for others. `crew`: every desk of
 * the crew, where only the work is a stand-in. `package`: the installed package, as a host embeds it. The last three:
 * the crew from outside.
 */
export const KINDS = ['files', 'rule', 'system', 'crew', 'package', 'gateway', 'command line', 'page'] as const;
export type Kind = (typeof KINDS)[number];

/** The rows that a title begins with, such as `CA-018, CA-019: `. */
export const ROWS_OF_TITLE = /((?:[A-Z]{2}-E?\d+(?:, )?)+): /;

export interface Seed {
  readonly title: string;
  readonly rows: readonly string[];
  /** Rows that the catalogue recommends and does not demand. */
  readonly should: ReadonlySet<string>;
  /** The weakest layer allowed for a demanded row. */
  readonly least: Kind;
  /** Demanded rows about the files of the repository, for which these are enough. */
  readonly aboutFiles?: ReadonlySet<string>;
  /** The missing parts of rows that no test shows. */
  readonly notYet: Readonly<Record<string, string>>;
}

export const SEEDS: readonly Seed[] = [
  {
    title: 'Coordination agents (seed 002)',
    rows: [...numbered('CA-', 138, 3), ...numbered('CA-E', 15, 2)],
    should: rowsIn(
      'CA-',
      '003 017 019 025 028 029 030 031 032 033 034 035 036 037 038 040 042 047 057 060 062 073 074 076 077 078 087 ' +
        '088 089 095 098 099 100 105 107 109 114 120 135 137 138 E05 E06 E07 E08 E09 E11 E12 E13 E14 E15',
    ),
    least: 'crew',
    notYet: {},
  },
  {
    title: 'Tickets and clarity (seed 000)',
    rows: [
      ...rowsIn('MX-', '036 037 038 039 040 041 042 043 059 060 061 062 076'),
      ...rowsIn('MX-', '090 091 092 093 094 095 096 097 098 099 100 101 E01 E08 E17'),
    ],
    should: rowsIn('MX-', '090 093 094 095 096 097 098 099 100 101 E17'),
    least: 'crew',
    notYet: {},
  },
  {
    title: 'Questions and their answers (seed 000)',
    rows: [
      ...rowsIn('MX-', '051 052 053 054 072 075 111 112 115 116 117 118 119 120 121'),
      ...rowsIn('MX-', 'E05 E06 E13 E14 E18'),
    ],
    should: rowsIn('MX-', '111 112 115 116 117 118 119 120 121 E18'),
    least: 'crew',
    notYet: {},
  },
  {
    title: 'Delivery organisation: responsibility, tasks and their queue (seed 000)',
    rows: [
      ...rowsIn('MX-', '001 002 003 004 005 006 007 008 009 010 011 012 013 014 015 016'),
      ...rowsIn('MX-', '024 025 026 027 028 029 030 031 032 033 034 035 044 045 046 047 048 049 050'),
      ...rowsIn('MX-', '073 074 087 088 089 102 103 104 105 106 107 110 113 114 E02 E03 E04 E15'),
    ],
    should: rowsIn('MX-', '035 102 103 104 105 106 107 110 113 114'),
    least: 'crew',
    notYet: {},
  },
  {
    title: 'Delivery organisation: checks, plans and oversight (seed 000)',
    rows: [
      ...rowsIn('MX-', '017 018 019 020 021 022 023 055 056 057 058 063 064 065 066 067 068 069 070 071'),
      ...rowsIn('MX-', '077 078 079 080 081 082 083 084 085 086 108 109 E07 E09 E10 E11 E12 E16'),
    ],
    should: rowsIn('MX-', '017 018 019 020 021 022 023 058 078 085 086 108 109 E12 E16'),
    least: 'crew',
    notYet: {},
  },
  {
    title: 'Agent selection (seed 003)',
    rows: [...numbered('AC-', 64, 3), ...numbered('AC-E', 8, 2)],
    should: rowsIn(
      'AC-',
      '012 013 014 022 027 028 031 036 042 043 044 045 046 047 048 049 050 051 052 053 054 055 056 057 058 059 060 ' +
        '061 062 063',
    ),
    least: 'crew',
    notYet: {},
  },
  {
    title: 'Answer team (seed 001)',
    rows: [...numbered('AT-', 65, 3), ...numbered('AT-E', 6, 2)],
    should: rowsIn('AT-', '028 034 058 065'),
    least: 'crew',
    notYet: {},
  },
  {
    title: 'Hub and spokes (seed 004)',
    rows: [...numbered('HS-', 63, 3), ...numbered('HS-E', 3, 2)],
    should: rowsIn('HS-', '006 014 017 018 019 020 021 039 043 045 046 047 048 050 055 056 058 059 060 062 063'),
    least: 'crew',
    notYet: {},
  },
  {
    title: 'Design card of the mission',
    rows: numbered('DC-', 13, 3),
    should: rowsIn('DC-', '012 013'),
    least: 'crew',
    aboutFiles: rowsIn('DC-', '002 003'),
    notYet: {},
  },
  {
    title: 'Core that the seeds share',
    rows: numbered('CN-', 26, 3),
    should: new Set(),
    least: 'crew',
    notYet: {},
  },
];

function numbered(prefix: string, count: number, digits: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1).padStart(digits, '0')}`);
}

function rowsIn(prefix: string, numbers: string): ReadonlySet<string> {
  return new Set(numbers.split(' ').map((number) => `${prefix}${number}`));
}
