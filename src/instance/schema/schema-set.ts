import { hash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EchelonError } from '../../base/index.ts';
import { type Keeping, keptValues } from '../kept-values.ts';
import { contentName, type ParsedDatafile, parseDatafile } from '../parse-datafile.ts';
import { walkTree } from '../sources/walk-tree.ts';

/** JSON schemas by path, such as `/app-sre/integration-1.yml`. */
export type SchemaSet = ReadonlyMap<string, unknown> & {
  /** Differs when a path or a byte of the schemas differs; absent where they were not read from files. */
  readonly fingerprint?: string;
};

/** Reads the schemas in a folder, such as the one extracted from an instance's schemas image. */
export function readSchemas(folder: string, keeping?: Keeping): SchemaSet {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw notAFolder(folder);
  const schemas = new Map<string, unknown>();
  const before = keeping && keptValues<ParsedDatafile>(keeping, 'schemas');
  const names: string[] = [];
  for (const { path, location } of walkTree(folder).files) {
    if (!/\.(?:ya?ml|json)$/.test(path)) continue;
    const bytes = readFileSync(location);
    const name = contentName(path, hash('sha256', bytes));
    names.push(`${path} ${name}`);
    const parse = () => parseDatafile(path, bytes);
    const { content, problems } = before === undefined ? parse() : before.use(name, parse);
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
  before?.save();
  return Object.assign(schemas, { fingerprint: hash('sha256', JSON.stringify(names)) });
}

function notAFolder(folder: string): EchelonError {
  return new EchelonError({
    code: 'SCHEMAS_NOT_FOUND',
    message: `${folder} is not a folder with JSON schemas`,
    hint: 'pass the folder with app-sre/, openshift/ and common-1.json with --schemas',
  });
}
