/** Paths of fields that a JSON text gives more than once, as `spec.replicas`; the text is valid JSON. */
export function duplicateKeys(text: string): string[] {
  const found = new Set<string>();
  scan(text, 0, '', found);
  return [...found];
}

const BLANK = /\s*/y;
const SCALAR = /"(?:[^"\\]|\\.)*"|[^\s,\]}]+/y;

function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  pattern.exec(text);
  return Math.max(pattern.lastIndex, at);
}

/** Reads one value from a place on; the place after it. */
function scan(text: string, from: number, path: string, found: Set<string>): number {
  const at = skip(text, from, BLANK);
  if (text[at] === '{') return scanFields(text, at + 1, path, found);
  if (text[at] === '[') return scanItems(text, at + 1, path, found);
  return skip(text, at, SCALAR);
}

function scanFields(text: string, from: number, path: string, found: Set<string>): number {
  const seen = new Set<string>();
  let at = skip(text, from, BLANK);
  while (text[at] === '"') {
    const end = skip(text, at, SCALAR);
    const name = JSON.parse(text.slice(at, end)) as string;
    const below = path === '' ? name : `${path}.${name}`;
    if (seen.has(name)) found.add(below);
    seen.add(name);
    at = scan(text, skip(text, end, BLANK) + 1, below, found);
    at = skip(text, at, BLANK);
    if (text[at] === ',') at = skip(text, at + 1, BLANK);
  }
  return at + 1;
}

function scanItems(text: string, from: number, path: string, found: Set<string>): number {
  let at = skip(text, from, BLANK);
  for (let i = 0; at < text.length && text[at] !== ']'; i += 1) {
    at = skip(text, scan(text, at, `${path}[${i}]`, found), BLANK);
    if (text[at] === ',') at = skip(text, at + 1, BLANK);
  }
  return at + 1;
}
