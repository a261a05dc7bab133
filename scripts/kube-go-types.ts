import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a field does when it is empty: '' is left out, '?' is kept unless null, '!' is always there, '~' is null. */
type Presence = '' | '?' | '!' | '~';

/** What OpenAPI does not say of a field. */
export interface GoField {
  readonly presence: Presence;
  /** Its number in protobuf: `3`, or `1.2` where it is in a message of its own; empty where it has none. */
  readonly number: string;
}

export type GoFieldOf = (definition: string, field: string) => GoField;

const PACKAGES: Readonly<Record<string, string>> = {
  'core.v1': 'api@*/core/v1/types.go',
  'apps.v1': 'api@*/apps/v1/types.go',
  'batch.v1': 'api@*/batch/v1/types.go',
  'coordination.v1': 'api@*/coordination/v1/types.go',
  'meta.v1': 'apimachinery@*/pkg/apis/meta/v1/types.go',
};

const STRUCT = /^type (\w+) struct \{\n([\s\S]*?)^\}/gm;
const FIELD = /^\t(?:(\w+)[ \t]+)?([\w.*[\]]+)[ \t]+`[^`]*json:"([^",]*)([^"]*)"(?:[^`]*protobuf:"\w+,(\d+))?/gm;
/** Text, numbers and truth values by the names of Go; every other name below is a struct or an alias of a text. */
const BARE = /^(?:string|bool|u?int(?:8|16|32|64)?|float64)$/;
const ALIAS = /^type (\w+) (?:string|int32|map\[)/gm;
const NULLABLE = /^(?:\w+\.)?(?:Time|MicroTime)$/;

interface Field {
  readonly name: string;
  readonly type: string;
  readonly options: string;
  readonly number: string;
}

const UNKNOWN: GoField = { presence: '', number: '' };

/** Reads fields from the structs of Go modules below a folder, as `go mod download` lays them out. */
export function goFields(modules: string): GoFieldOf {
  const structs = new Map<string, Map<string, GoField>>();
  for (const [prefix, pattern] of Object.entries(PACKAGES)) {
    const [file] = globSync(join(modules, pattern));
    if (file === undefined) throw new Error(`${modules} holds no ${pattern}`);
    const text = readFileSync(file, 'utf8');
    const aliases = new Set([...text.matchAll(ALIAS)].map((match) => match[1] ?? ''));
    const raw = new Map([...text.matchAll(STRUCT)].map((match) => [match[1] ?? '', fieldsOf(match[2] ?? '')]));
    for (const name of raw.keys()) structs.set(`${prefix}.${name}`, flatten(name, raw, aliases));
  }
  return (definition, field) => structs.get(definition)?.get(field) ?? UNKNOWN;
}

function fieldsOf(body: string): Field[] {
  return [...body.matchAll(FIELD)].map((match) => ({
    name: match[3] ?? '',
    type: match[2] ?? '',
    options: match[4] ?? '',
    number: match[5] ?? '',
  }));
}

function flatten(
  name: string,
  structs: ReadonlyMap<string, readonly Field[]>,
  aliases: ReadonlySet<string>,
): Map<string, GoField> {
  const result = new Map<string, GoField>();
  for (const field of structs.get(name) ?? []) {
    if (field.options.includes('inline')) {
      for (const [inner, { presence, number }] of flatten(field.type.replace(/^\*/, ''), structs, aliases))
        result.set(inner, { presence, number: `${field.number}.${number}` });
    } else result.set(field.name, { presence: presenceOf(field, aliases), number: field.number });
  }
  return result;
}

function presenceOf({ type, options }: Field, aliases: ReadonlySet<string>): Presence {
  const bare = type.replace(/^\*/, '');
  const isScalar = BARE.test(bare) || aliases.has(bare) || /\.(?:UID|URIScheme|Protocol)$/.test(bare);
  if (!options.includes('omitempty')) return type.startsWith('*') ? '~' : '!';
  if (type.startsWith('*')) return '?';
  if (NULLABLE.test(bare)) return options.includes('omitzero') ? '' : '!';
  if (isScalar || type.startsWith('[]') || type.startsWith('map[') || /ResourceList$/.test(type)) return '';
  return '!';
}
