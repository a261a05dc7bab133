import { EchelonError } from '../../base/index.ts';

/** One step of a path: a key, every item of a list, or the items with a value. */
export type Step =
  | { readonly by: 'key'; readonly key: string }
  | { readonly by: 'all' }
  | { readonly by: 'index'; readonly index: number }
  | { readonly by: 'value'; readonly key: string; readonly value: string };

const KEY = /[A-Za-z_$][\w$-]*/y;
const BRACKET = /\[(?:\*?|(?<index>\d+)|(?<key>[\w$.-]+)=(?:"(?<quoted>[^"]*)"|(?<plain>[^\]"]*)))\]/y;

/** What `parseSelectorPath` accepts, as a regular expression. */
export const SELECTOR_PATH_PATTERN = selectorPathPattern();

function selectorPathPattern(): string {
  const bracket = BRACKET.source.replaceAll(/\?<\w+>/g, '?:');
  return `^(?:${KEY.source}|${bracket})(?:\\.${KEY.source}|${bracket})*$`;
}

/** `resourceTemplates[url=https://github.com/o/r].targets[name=production].ref`; `[]` is every item. */
export function parseSelectorPath(text: string): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    const separated = text[at] === '.' && steps.length > 0;
    const from = separated ? at + 1 : at;
    const next = stepAt(text, from, { key: separated || steps.length === 0 });
    if (next === undefined) throw invalid(text, at);
    steps.push(next.step);
    at = next.end;
  }
  if (steps.length === 0) throw invalid(text, 0);
  return steps;
}

function stepAt(
  text: string,
  from: number,
  allowed: { readonly key: boolean },
): { step: Step; end: number } | undefined {
  KEY.lastIndex = from;
  const key = allowed.key ? KEY.exec(text)?.[0] : undefined;
  if (key !== undefined) return { step: { by: 'key', key }, end: from + key.length };
  BRACKET.lastIndex = from;
  const found = text[from - 1] === '.' ? null : BRACKET.exec(text);
  return found === null ? undefined : { step: bracketStep(found.groups ?? {}), end: from + found[0].length };
}

function bracketStep({ index, key, quoted, plain }: Readonly<Record<string, string | undefined>>): Step {
  if (index !== undefined) return { by: 'index', index: Number(index) };
  return key === undefined ? { by: 'all' } : { by: 'value', key, value: quoted ?? plain ?? '' };
}

function invalid(text: string, at: number): EchelonError {
  const where = at === 0 ? 'is invalid' : `is invalid from ${JSON.stringify(text.slice(at, at + 20))} on`;
  return new EchelonError({
    code: 'PROMOTION_PATH_INVALID',
    message: `the path ${text} ${where}`,
    hint: 'separate keys by dots; use [key=value] for an item of a list and [] for all items',
  });
}

/** The inverse of `parseSelectorPath`. */
export function selectorPathText(steps: readonly Step[]): string {
  let text = '';
  for (const step of steps) {
    if (step.by === 'key') text += text === '' ? step.key : `.${step.key}`;
    else text += `[${bracketText(step)}]`;
  }
  return text;
}

function bracketText(step: Exclude<Step, { by: 'key' }>): string {
  if (step.by === 'all') return '';
  if (step.by === 'index') return String(step.index);
  return `${step.key}=${/[\]"]/.test(step.value) ? `"${step.value}"` : step.value}`;
}
