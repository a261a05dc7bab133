import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EchelonError } from '../../base/index.ts';
import { parseDatafile } from '../parse-datafile.ts';
import { walkTree } from '../sources/walk-tree.ts';

/** JSON schemas by path, such as `/app-sre/integration-1.yml`. */
export type SchemaSet = ReadonlyMap<string, unknown>;

/** Reads the schemas in a folder, such as the one extracted from an instance's schemas image. */
export function readSchemas(folder: string): SchemaSet {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw notAFolder(folder);
  const schemas = new Map<string, unknown>();
  for (const { path, location } of walkTree(folder).files) {
    if (!/\.(?:ya?ml|json)$/.test(path)) continue;
    const { content, problems } = parseDatafile(path, readFileSync(location));
    const [problem] = problems;
    if (content === undefined) {
      throw new EchelonError({
        code: 'SCHEMA_UNREADABLE',
        message: `${join(folder, path)}:${problem?.line ?? 1}: ${problem?.message}`,
        hint: 'extract the schemas from the schemas image of the instance again',
      });
    }
    schemas.set(path, content);
  }
  if (schemas.size === 0) throw notAFolder(folder);
  return schemas;
}

function notAFolder(folder: string): EchelonError {
  return new EchelonError({
    code: 'SCHEMAS_NOT_FOUND',
    message: `${folder} is not a folder with JSON schemas`,
    hint: 'pass the folder with app-sre/, openshift/ and common-1.json with --schemas',
  });
}
