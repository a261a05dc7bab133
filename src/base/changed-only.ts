/**
 * Reports what is wrong once, and again when it was right in between: an error that stays for a day is one line, not one for
 * each pass. Returns whether anything is wrong.
 */
export function changedOnly(): <T extends object>(troubles: readonly T[], report: (trouble: T) => void) => boolean {
  let known = new Set<string>();
  return (troubles, report) => {
    const now = new Map(troubles.map((trouble) => [JSON.stringify(trouble), trouble]));
    for (const [key, trouble] of now) if (!known.has(key)) report(trouble);
    known = new Set(now.keys());
    return troubles.length > 0;
  };
}
