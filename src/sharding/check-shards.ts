/** Whether a finding only follows from errors in another file, which are reported there. */
export function isConsequence(rule: string): boolean {
  return rule === 'override-unreadable-shard';
}
