import { dump } from 'js-yaml';
import { type ListedRows, listedRows } from '../base/index.ts';
import type { Field } from './field-tree.ts';
import type { FoundField } from './find-field.ts';
import type { Kind } from './kind.ts';
import { KINDS } from './kinds.ts';
import { wrapWords } from './wrap-words.ts';

interface Line {
  readonly depth: number;
  readonly text: string;
  /** Of an example: every character counts. */
  readonly exact?: boolean;
}

const INDENT = '  ';

/** As `kubectl explain` shows a field: what it is, then its fields. Titles are the lines that are not indented. */
export function fieldLines(
  found: FoundField,
  options: { readonly recursive: boolean; readonly width: number },
): string[] {
  return linesOf(found, options.recursive).flatMap(({ depth, text, exact = false }) => {
    const indent = INDENT.repeat(depth);
    return exact
      ? [`${indent}${text}`]
      : wrapWords(text, options.width - indent.length).map((part) => `${indent}${part}`);
  });
}

function linesOf({ kind, field }: FoundField, recursive: boolean): Line[] {
  const isKind = field.path === kind.name;
  return [
    at(0, `KIND:     ${kind.name}`),
    at(0, `FILE:     ${kind.place}`),
    ...(isKind ? [] : [at(0, `FIELD:    ${headline({ ...field, name: field.path })}`)]),
    ...section(
      'DESCRIPTION:',
      [field.meaning, ...factsOf(field)].map((text) => at(1, text)),
    ),
    ...(field.example === undefined ? [] : section('EXAMPLE:', exampleLines(field))),
    ...(field.fields.length === 0 ? [] : section('FIELDS:', listed(field.fields, recursive, 1))),
    ...(isKind && kind.beyond.length > 0 ? section('ALSO CHECKED:', beyond(kind)) : []),
  ];
}

function at(depth: number, text: string): Line {
  return { depth, text };
}

function section(title: string, lines: readonly Line[]): Line[] {
  return [at(0, ''), at(0, title), ...lines];
}

/** As it stands in a file. */
function exampleLines({ name, path, example }: Field): Line[] {
  const isKind = name === path;
  return exampleYaml(isKind ? example : { [name]: example })
    .trimEnd()
    .split('\n')
    .map((text) => ({ depth: 1, text, exact: true }));
}

function exampleYaml(example: unknown): string {
  return dump(example, { noRefs: true, lineWidth: -1 });
}

/** `strategy <string> -required-` */
function headline({ name, type, required }: Field): string {
  return `${name} <${type}>${required ? ' -required-' : ''}`;
}

/** `one of: halt, rollback`, `at least 1`, `default: 1h`. */
export function factsOf({ values, limits = [], default: fallback }: Field): string[] {
  return [
    ...(values === undefined ? [] : [`one of: ${values.join(', ')}`]),
    ...limits,
    ...(fallback === undefined
      ? []
      : [`default: ${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}`]),
  ];
}

function listed(fields: readonly Field[], recursive: boolean, depth: number): Line[] {
  return fields.flatMap((field) => {
    const known = factsOf(field).join(', ');
    const about = known === '' ? field.meaning : `${field.meaning} (${known})`;
    const inner = recursive ? listed(field.fields, recursive, depth + 1) : [];
    return recursive ? [at(depth, headline(field)), ...inner] : [at(depth, headline(field)), at(depth + 1, about)];
  });
}

function beyond({ beyond: checks }: Kind): Line[] {
  return [at(1, 'by the reader, and by no JSON Schema:'), ...checks.map((check) => at(1, `- ${check}`))];
}

/** The kinds, for `echelon explain` without a name. */
export function kindListing(): ListedRows {
  return listedRows({
    kind: 'FileKind',
    noun: 'kind',
    rows: KINDS,
    columns: [
      { title: 'KIND', cell: ({ name }) => name },
      { title: 'FILE', cell: ({ place }) => place },
      { title: 'DESCRIPTION', cell: ({ meaning }) => meaning },
    ],
    name: ({ name }) => name,
    item: ({ name, place, meaning, beyond: alsoChecked }) => ({ name, place, meaning, alsoChecked }),
  });
}

/** The document of a field, for programs. */
export function fieldDocument({ kind, field }: FoundField) {
  const { path, ...rest } = field;
  return { of: kind.name, path, place: kind.place, alsoChecked: kind.beyond, ...rest };
}
