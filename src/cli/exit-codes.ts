/** Exit codes, after sysexits where one fits; listed by `--help`. */
export const EXIT = { ok: 0, failed: 1, changes: 2, notCompared: 2, usage: 64, interrupted: 130 } as const;

export const EXIT_HELP = `
Exit codes:
  0   success
  1   problems found, or the command failed
  64  invalid command line
`;
