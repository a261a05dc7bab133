import { factsOf } from './explain.ts';
import { type Field, fieldTree, jsonSchemaOf } from './json-schema.ts';
import { type FileKind, KINDS } from './kinds.ts';

/** The page with the fields of all kinds, in Markdown. */
export function fieldReference(): string {
  const list = KINDS.map(({ name, meaning }) => `- [${name}](#${name}): ${meaning}`);
  return `${[HEAD, list.join('\n'), ...KINDS.map(section)].join('\n\n')}\n`;
}

const HEAD = `# Fields of files

Written by \`npm run fields\` from the shapes that Echelon reads files with; \`echelon explain\` shows the same. \`schemas/\` of the package has a
JSON Schema of each kind, which \`echelon schema KIND\` prints. Fields of other files, and other fields, are not read.`;

function section(kind: FileKind): string {
  const { name, meaning, place, alsoChecked } = kind;
  const { fields } = fieldTree(name, jsonSchemaOf(kind));
  const checks = alsoChecked.map((check) => `- ${check}`).join('\n');
  return [
    `## ${name}`,
    `${meaning} It is ${place}.`,
    ['| field | type | meaning | example |', '|---|---|---|---|', ...fields.flatMap((field) => rows(field, ''))].join(
      '\n',
    ),
    ...(alsoChecked.length === 0 ? [] : [`Checked when the file is read, and by no JSON Schema:\n\n${checks}`]),
  ].join('\n\n');
}

function rows(field: Field, parent: string): string[] {
  const path = `${parent}${field.name}`;
  const needs = field.required ? ', required' : '';
  const facts = factsOf(field).join(', ');
  const cells = [
    code(path),
    `${code(field.type)}${needs}`,
    facts === '' ? field.meaning : `${field.meaning} (${facts})`,
    field.fields.length > 0 || field.example === undefined ? '' : code(JSON.stringify(field.example)),
  ];
  return [`| ${cells.map(cell).join(' | ')} |`, ...field.fields.flatMap((each) => rows(each, `${path}.`))];
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Escapes what would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
