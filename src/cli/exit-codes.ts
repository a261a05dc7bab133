/** Exit codes, after sysexits where one fits; listed by `--help`. */
export const EXIT = { ok: 0, failed: 1, changes: 2, notCompared: 2, usage: 64, interrupted: 130 } as const;

/** Codes with their meaning, as `--help` lists them; `own` are those of one command. */
export function exitHelp(own: Readonly<Record<number, string>> = {}): string {
  const usual = { 0: 'success', 1: 'problems found, or the command failed', 64: 'invalid command line' };
  const lines = Object.entries({ ...usual, ...own }).map(([code, meaning]) => `  ${code.padEnd(4)}${meaning}\n`);
  return `\nExit codes:\n${lines.join('')}`.trimEnd();
}
