/** A metric as an expression names it, with the labels that its matchers name. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly value: string }[];
}

export interface Named {
  readonly selectors: readonly Selector[];
  /** Labels after by, on, group_left and the like. */
  readonly labels: readonly string[];
}

type Token = { readonly kind: 'name' | 'string' | 'sign'; readonly text: string };

const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);
/** What stands behind the name of a function or an aggregation. */
const CALLED = new Set<string | undefined>(['(', 'by', 'without']);
/** Durations and steps, those of Grafana included, hold no names; numbers neither. */
const TOKEN =
  /\s+|\[[^\]]*\]|(?<string>"(?:[^"\\]|\\.)*")|(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)|\d+(?:\.\d+)?[smhdwy]?|(?<sign>[=!]~|[=!<>]=|[-+*/%^(){},=<>])/y;

/**
 * What an expression of PromQL names. It reads names, braces and label lists, not the whole language: text that it has
 * no token for is an error, never skipped. A metric named only by a `__name__` matcher is an error too.
 */
export function namedIn(expression: string): Named {
  const tokens = tokensOf(expression);
  const selectors: Selector[] = [];
  const labels: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (text === '{') throw new Error(`a selector without a metric in: ${expression}`);
    if (kind !== 'name') continue;
    const next = tokens[at + 1]?.text;
    if (GROUPING.has(text)) {
      const end = endOf(tokens, at + 1, '(', ')', expression);
      labels.push(...namesBetween(tokens, at + 1, end));
      at = end;
    } else if (next === '{') {
      const end = endOf(tokens, at + 1, '{', '}', expression);
      selectors.push({ metric: text, matchers: matchersBetween(tokens, at + 1, end) });
      at = end;
    } else if (!CALLED.has(next) && !WORDS.has(text)) {
      selectors.push({ metric: text, matchers: [] });
    }
  }
  return { selectors, labels };
}

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.length) {
    const from = TOKEN.lastIndex;
    const groups = TOKEN.exec(expression)?.groups;
    if (groups === undefined) throw new Error(`unknown text at: ${expression.slice(from)}`);
    for (const kind of ['name', 'string', 'sign'] as const) {
      const text = groups[kind];
      if (text !== undefined) tokens.push({ kind, text });
    }
  }
  return tokens;
}

/** Neither label lists nor matchers nest. */
function endOf(tokens: readonly Token[], open: number, opening: string, closing: string, expression: string): number {
  const end = tokens.findIndex(({ text }, at) => at > open && text === closing);
  if (tokens[open]?.text !== opening || end === -1) throw new Error(`no ${opening}${closing} in: ${expression}`);
  return end;
}

function namesBetween(tokens: readonly Token[], open: number, close: number): string[] {
  return tokens
    .slice(open, close)
    .filter(({ kind }) => kind === 'name')
    .map(({ text }) => text);
}

function matchersBetween(tokens: readonly Token[], open: number, close: number): Selector['matchers'] {
  return tokens.slice(open, close).flatMap(({ kind, text }, offset) => {
    const value = tokens[open + offset + 2];
    return kind === 'name' && value?.kind === 'string' ? [{ label: text, value: value.text.slice(1, -1) }] : [];
  });
}
