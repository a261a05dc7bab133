import { dump } from 'js-yaml';
import { didYouMean, EchelonError, type ListedRows, listedRows } from '../base/index.ts';
import { type Field, fieldTree, jsonSchemaOf } from './json-schema.ts';
import { type FileKind, KINDS } from './kinds.ts';

/** A kind, or one of its fields. */
interface FoundField {
  readonly kind: FileKind;
  readonly field: Field;
}

/** The kind with a name; `rollouts.yml` is also `rollouts`, and letter case and dashes do not matter: `leanNamespace`. */
export function findKind(name: string): FileKind {
  const found = KINDS.find((kind) => plain(kind.name) === plain(name));
  if (found !== undefined) return found;
  const names = KINDS.map((kind) => kind.name);
  throw new EchelonError({
    code: 'KIND_UNKNOWN',
    message: `no kind ${name}`,
    hint: didYouMean(name, names, `use one of: ${names.join(', ')}`),
  });
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/\.ya?ml$/, '')
    .replaceAll(/[-_\s]/g, '');
}

/** `integration.managed.spec`; positions in lists and names that users choose are left out. */
export function findField(path: string): FoundField {
  const [first = '', ...keys] = stepsOf(path);
  const kind = findKind(first);
  let field = fieldTree(kind.name, jsonSchemaOf(kind));
  for (const key of keys) field = fieldIn(field, key);
  return { kind, field };
}

/** The suffix of a file name is not a step. */
function stepsOf(path: string): string[] {
  const [first = '', ...rest] = path.split('.');
  return rest[0] === 'yml' || rest[0] === 'yaml' ? [first, ...rest.slice(1)] : [first, ...rest];
}

function fieldIn({ path, fields }: Field, key: string): Field {
  const found = fields.find(({ name }) => name === key);
  if (found !== undefined) return found;
  const names = fields.map(({ name }) => name);
  const known = names.length === 0 ? `${path} has no fields` : `${path} has: ${names.join(', ')}`;
  throw new EchelonError({
    code: 'FIELD_UNKNOWN',
    message: `${path} has no field ${key === '' ? '""' : key}`,
    hint: didYouMean(key, names, known),
  });
}

interface Line {
  readonly depth: number;
  readonly text: string;
  /** Whether the line is part of an example, and must not be wrapped. */
  readonly exact?: boolean;
}

const INDENT = '  ';

/** The lines of a field as in `kubectl explain`: its description, then its fields. Titles are the lines without indentation. */
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

/** A text in lines of at most `width` characters, broken at spaces; a longer word has a line of its own. */
function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
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
    ...(isKind && kind.alsoChecked.length > 0 ? section('ALSO CHECKED:', checkLines(kind)) : []),
  ];
}

function at(depth: number, text: string): Line {
  return { depth, text };
}

function section(title: string, lines: readonly Line[]): Line[] {
  return [at(0, ''), at(0, title), ...lines];
}

/** The example as it is written in a file. */
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

function checkLines({ alsoChecked }: FileKind): Line[] {
  return [at(1, 'by the reader, and by no JSON Schema:'), ...alsoChecked.map((check) => at(1, `- ${check}`))];
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
    item: ({ name, place, meaning, alsoChecked }) => ({ name, place, meaning, alsoChecked }),
  });
}

/** The document of a field, for programs. */
export function fieldDocument({ kind, field }: FoundField) {
  const { path, ...rest } = field;
  return { of: kind.name, path, place: kind.place, alsoChecked: kind.alsoChecked, ...rest };
}
