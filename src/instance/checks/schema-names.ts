import { distance } from 'fastest-levenshtein';
import { didYouMean, shortened } from '../../base/index.ts';
import { SCHEMA } from '../domain/schemas.ts';
import type { Finding } from '../problem.ts';
import type { Snapshot } from '../snapshot.ts';

const FORM = /^\/(?:[^/]+\/)*[^/]+-\d+\.(?:ya?ml|json)$/;

/**
 * Every datafile names its schema. Where the schemas are known it must be one of them; elsewhere only a name that
 * nearly equals one that Echelon reads is reported, since an instance may have schemas of its own.
 */
export function schemaNames(snapshot: Snapshot, known: ReadonlySet<string> | undefined): Finding[] {
  return [...snapshot.datafiles.values()].flatMap(({ path, schema, content }): Finding[] => {
    const at = { path, keys: ['$schema'] } as const;
    if (content['$schema'] === undefined) return [{ ...at, keys: [], ...MISSING }];
    if (schema === undefined || !FORM.test(schema)) return [{ ...at, ...malformed(content['$schema']) }];
    if (known !== undefined) return known.has(schema) ? [] : [{ ...at, ...unknown(schema, known, 'error') }];
    return almostKnown(schema) ? [{ ...at, ...unknown(schema, READ, 'warning') }] : [];
  });
}

const READ: ReadonlySet<string> = new Set(Object.values(SCHEMA));

const MISSING = {
  rule: 'schema-missing',
  severity: 'error',
  message: 'the file has no $schema',
  hint: 'add $schema: /<domain>/<name>-<number>.yml, or move the file below resources/',
} as const;

function malformed(found: unknown) {
  return {
    rule: 'schema-unknown',
    severity: 'error',
    message: `$schema is ${shortened(JSON.stringify(found))}, not of the form /<domain>/<name>-<number>.yml`,
    hint: didYouMean(String(found), READ, 'use the path of a schema, with a leading slash'),
  } as const;
}

function unknown(schema: string, known: Iterable<string>, severity: 'error' | 'warning') {
  return {
    rule: 'schema-unknown',
    severity,
    message: `unknown schema ${schema}`,
    hint: didYouMean(schema, known, 'correct $schema, or update the schemas'),
  } as const;
}

/** `/app-sre/integrations-1.yml`: the same folder and number, with a name that differs by a letter or two. */
function almostKnown(schema: string): boolean {
  return !READ.has(schema) && [...READ].some((known) => isSlip(stemOf(known), stemOf(schema)));
}

/** `/aws/account` of `/aws/account-1.yml`. */
function stemOf(schema: string): string {
  return schema.replace(/-\d+\.\w+$/, '');
}

const SLIP = 2;

function isSlip(known: string, written: string): boolean {
  return known === written || distance(known, written) <= SLIP;
}
