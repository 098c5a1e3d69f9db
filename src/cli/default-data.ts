/** The default of `--data`. In a file of its own, so that `--help` loads nothing else. */
export const DEFAULT_DATA = './data';
