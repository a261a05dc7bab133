import { SCHEMA } from '../domain/schemas.ts';
import type { Finding } from '../problem.ts';
import { bySchema, type Datafile, fileOf, refPath, type Snapshot } from '../snapshot.ts';

interface UniqueRow {
  readonly schemas: readonly string[];
  readonly field: string;
  /** What must be unique; undefined when the file does not have it. */
  readonly key: (file: Datafile) => string | undefined;
  readonly what: string;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const field = (name: string) => (file: Datafile) => text(file.content[name]);

/** Names used for lookups must be unique; a namespace only within its cluster. */
const ROWS: readonly UniqueRow[] = [
  { schemas: [SCHEMA.integration], field: 'name', key: field('name'), what: 'integration' },
  { schemas: [SCHEMA.environment], field: 'name', key: field('name'), what: 'environment' },
  { schemas: [SCHEMA.product], field: 'name', key: field('name'), what: 'product' },
  { schemas: [SCHEMA.cluster], field: 'name', key: field('name'), what: 'cluster' },
  { schemas: [SCHEMA.account], field: 'name', key: field('name'), what: 'AWS account' },
  { schemas: [SCHEMA.account], field: 'uid', key: field('uid'), what: 'AWS account with the uid' },
  { schemas: [SCHEMA.organization], field: 'name', key: field('name'), what: 'OCM organization' },
  { schemas: [SCHEMA.organization], field: 'orgId', key: field('orgId'), what: 'OCM organization with the id' },
  { schemas: [SCHEMA.ocmEnvironment], field: 'name', key: field('name'), what: 'OCM environment' },
  { schemas: [SCHEMA.zone], field: 'identifier', key: field('identifier'), what: 'Cloudflare zone' },
  { schemas: [SCHEMA.saasFile], field: 'name', key: field('name'), what: 'saas file' },
  { schemas: [SCHEMA.namespace, SCHEMA.leanNamespace], field: 'name', key: namespaceKey, what: 'namespace' },
];

function namespaceKey({ content }: Datafile): string | undefined {
  const cluster = refPath(content['cluster']) ?? text((content['cluster'] as { name?: unknown } | undefined)?.name);
  const name = text(content['name']);
  return cluster === undefined || name === undefined ? undefined : `${cluster} ${name}`;
}

/** The same name in two files, reported in each file after the first. */
export function duplicateNames(snapshot: Snapshot): Finding[] {
  return ROWS.flatMap((row) => {
    const first = new Map<string, string>();
    return bySchema(snapshot, ...row.schemas).flatMap((file): Finding[] => {
      const key = row.key(file);
      if (key === undefined) return [];
      const earlier = first.get(key);
      if (earlier === undefined) {
        first.set(key, file.path);
        return [];
      }
      return [duplicate(row, file, earlier)];
    });
  });
}

function duplicate(row: UniqueRow, file: Datafile, earlier: string): Finding {
  return {
    rule: 'duplicate-name',
    severity: 'error',
    path: file.path,
    keys: [row.field],
    message: `${row.what} ${String(file.content[row.field])} is already defined in ${fileOf(earlier)}`,
    hint: row.field === 'name' ? 'rename or remove one of them' : `correct ${row.field} in one of them`,
  };
}
