import { byText, defined } from '../../base/index.ts';
import { ECHELON_FILES } from '../../instance/index.ts';
import type { ChangedFile } from './changed-files.ts';
import { resourceUsers } from './resource-users.ts';
import { type Side, schemaInText, schemaOfDatafile } from './side.ts';

export interface EnvChange {
  readonly key: string;
  readonly from?: string;
  readonly to?: string;
}

/** A changed file and its effects. */
export interface ExplainedFile extends ChangedFile {
  /** The file's schemas before and after, and those of datafiles that use it. */
  readonly schemas: readonly string[];
  /** Datafiles that use a resource. */
  readonly usedBy: readonly string[];
  /** Changes in `.env`. */
  readonly env?: readonly EnvChange[];
  /** Human-readable, one clause. */
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

/** The old and the new schema of a file: either may select integrations. */
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
    const texts = env.map(({ key, from = 'nothing', to = 'nothing' }) => `${key} ${from} → ${to}`);
    return texts.length === 0 ? 'no value changes' : texts.join(', ');
  }
  if (file.area === 'docs') return 'documentation';
  if (file.area === 'other') return 'not checked';
  if (schemas.length > 0) return schemas.join(', ');
  if (file.area !== 'resource') return 'unknown schema';
  return ECHELON_FILES.includes(file.path ?? '') ? 'a file of Echelon itself' : 'no datafile uses it';
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(byText);
}
