import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fieldReference, jsonSchemaOf, KINDS } from '../src/fields/index.ts';

/** Every file that is made of the shapes of readers, by its path in the repository. */
export function fieldFiles(): ReadonlyMap<string, string> {
  const schemas = KINDS.map(
    (kind) => [`schemas/${kind.name}.json`, `${JSON.stringify(jsonSchemaOf(kind), undefined, 2)}\n`] as const,
  );
  return new Map([...schemas, ['docs/reference/fields.md', fieldReference()]]);
}

/** Writes them, and removes the schemas of kinds that no longer exist. */
function writeFieldFiles(root: string): void {
  const files = fieldFiles();
  mkdirSync(join(root, 'schemas'), { recursive: true });
  for (const name of readdirSync(join(root, 'schemas')))
    if (!files.has(`schemas/${name}`)) rmSync(join(root, 'schemas', name));
  for (const [path, text] of files) writeFileSync(join(root, path), text);
}

if (import.meta.main) writeFieldFiles(dirname(import.meta.dirname));
