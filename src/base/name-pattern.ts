/** Whether a name matches one of some patterns, in which `*` stands for any text. Linear in the length of the name. */
export function namesMatching(patterns: readonly string[] | undefined): (name: string) => boolean {
  if (patterns === undefined) return () => true;
  const literals = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const open = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'));
  return (name) => literals.has(name) || open.some((parts) => matches(name, parts));
}

/** The first part is how the name begins, the last how it ends; the others come in between, in this order. */
function matches(name: string, parts: readonly string[]): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
