interface Parsed {
  readonly text: string;
  readonly end: number;
}

/** Deeper literals are not read: no message of an integration has them. */
const DEEPEST = 50;
const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };
/** Numbers, and the names that Python prints for constants. Sticky: it reads where it is told to. */
const ATOM = /(?:True|False|None|-?\d[\d_]*(?:\.\d*)?(?:e[+-]?\d+)?j?)(?![\w.])/y;
const EMPTY_SET = /(?:frozen)?set\(\)/y;
const FROZEN = 'frozenset(';
/** A string with its prefix and escapes, on one line. */
const TEXT = /[bu]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/sy;
const SPACE = /[ \t\n]*/y;

/**
 * Python's list, tuple, set or mapping that begins here, with sets and mappings sorted and lists in their order. Undefined
 * where no literal of these begins. Reads nothing but literals, in linear time.
 */
export function literalAt(text: string, start: number): Parsed | undefined {
  return CLOSING[text[start] ?? ''] === undefined && !startsSet(text, start) ? undefined : value(text, start, 0);
}

function startsSet(text: string, start: number): boolean {
  return text.startsWith('set(', start) || text.startsWith(FROZEN, start);
}

function value(text: string, start: number, depth: number): Parsed | undefined {
  const letter = text[start] ?? '';
  if (CLOSING[letter] !== undefined) return depth >= DEEPEST ? undefined : collection(text, start, depth);
  const atom = sticky(TEXT, text, start) ?? sticky(EMPTY_SET, text, start) ?? sticky(ATOM, text, start);
  if (atom !== undefined) return { text: atom, end: start + atom.length };
  return text.startsWith(FROZEN, start) && depth < DEEPEST ? frozenSet(text, start, depth) : undefined;
}

function frozenSet(text: string, start: number, depth: number): Parsed | undefined {
  const inner = value(text, start + FROZEN.length, depth + 1);
  if (inner === undefined || text[inner.end] !== ')') return undefined;
  return { text: `${FROZEN}${inner.text})`, end: inner.end + 1 };
}

function collection(text: string, start: number, depth: number): Parsed | undefined {
  const open = text[start] ?? '';
  const close = CLOSING[open] ?? '';
  const items: string[] = [];
  let at = skip(text, start + 1);
  while (text[at] !== close) {
    const item = open === '{' ? member(text, at, depth) : value(text, at, depth + 1);
    const next = item === undefined ? undefined : afterItem(text, item.end, close);
    if (item === undefined || next === undefined) return undefined;
    items.push(item.text);
    at = next;
  }
  return { text: `${open}${joined(open, items)}${close}`, end: at + 1 };
}

/** Past a comma, or where the collection ends. */
function afterItem(text: string, end: number, close: string): number | undefined {
  const at = skip(text, end);
  if (text[at] === ',') return skip(text, at + 1);
  return text[at] === close ? at : undefined;
}

function joined(open: string, items: string[]): string {
  const inOrder = open === '{' ? items.sort() : items;
  return `${inOrder.join(', ')}${open === '(' && items.length === 1 ? ',' : ''}`;
}

/** An item of a set, or a key with its value. */
function member(text: string, start: number, depth: number): Parsed | undefined {
  const key = value(text, start, depth + 1);
  if (key === undefined) return undefined;
  const at = skip(text, key.end);
  if (text[at] !== ':') return key;
  const held = value(text, skip(text, at + 1), depth + 1);
  return held && { text: `${key.text}: ${held.text}`, end: held.end };
}

function skip(text: string, start: number): number {
  return start + (sticky(SPACE, text, start)?.length ?? 0);
}

function sticky(pattern: RegExp, text: string, start: number): string | undefined {
  pattern.lastIndex = start;
  return pattern.exec(text)?.[0];
}
