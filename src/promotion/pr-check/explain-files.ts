import { byText, defined } from '../../base/index.ts';
import type { ChangedFile } from './changed-files.ts';
import { resourceUsers } from './resource-users.ts';
import { type Side, schemaInText, schemaOfDatafile } from './side.ts';

export interface EnvChange {
  readonly key: string;
  readonly from?: string;
  readonly to?: string;
}

/** A changed file and what follows from it. */
export interface ExplainedFile extends ChangedFile {
  /** Schemas that the file has or had, and those of datafiles that use it. */
  readonly schemas: readonly string[];
  /** Datafiles that use a resource. */
  readonly usedBy: readonly string[];
  /** Of `.env`. */
  readonly env?: readonly EnvChange[];
  /** One clause for people. */
  readonly meaning: string;
}

/** The sides of a change. */
export interface Sides {
  readonly base: Side;
  readonly head: Side;
}

export function explainFiles(files: readonly ChangedFile[], sides: Sides): ExplainedFile[] {
  const both = [sides.base, sides.head];
  const resources = files.flatMap(({ area, path }) => (area === 'resource' && path !== undefined ? [path] : []));
  const users = Map.groupBy(resourceUsers(both, resources), ({ resource }) => resource);
  return files.map((file) => {
    const used = (file.area === 'resource' ? users.get(file.path ?? '') : undefined) ?? [];
    const schemas = distinct([...ownSchemas(file, both), ...used.map(({ schema }) => schema)]);
    const usedBy = distinct(used.map(({ path }) => path));
    const env = file.area === 'env' ? envChanges(sides) : undefined;
    return { ...file, schemas, usedBy, ...defined({ env }), meaning: meaningOf(file, schemas, env) };
  });
}

/** The old schema of a file and the new one: either may concern somebody. */
function ownSchemas({ area, path, file }: ChangedFile, sides: readonly Side[]): string[] {
  if (path === undefined) return [];
  const found = sides.map((side) => {
    if (area === 'data') return schemaOfDatafile(side, path);
    return /\.ya?ml$/.test(path) ? schemaInText(side.text(file)) : undefined;
  });
  return found.filter((schema) => schema !== undefined);
}

function envChanges({ base, head }: Sides): EnvChange[] {
  const before = base.instance.snapshot.env;
  const after = head.instance.snapshot.env;
  return distinct([...before.keys(), ...after.keys()])
    .filter((key) => before.get(key) !== after.get(key))
    .map((key) => {
      const [from, to] = [before.get(key), after.get(key)];
      return { key, ...defined({ from, to }) };
    });
}

function meaningOf(file: ChangedFile, schemas: readonly string[], env: readonly EnvChange[] | undefined): string {
  if (env !== undefined) {
    const told = env.map(({ key, from = 'nothing', to = 'nothing' }) => `${key} ${from} → ${to}`);
    return told.length === 0 ? 'no value changes' : told.join(', ');
  }
  if (file.area === 'docs') return 'documentation';
  if (file.area === 'other') return 'not looked at';
  if (schemas.length > 0) return schemas.join(', ');
  return file.area === 'resource' ? 'no datafile uses it' : 'its schema is not known';
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(byText);
}
