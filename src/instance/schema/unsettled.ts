import type { Steps } from '../../base/index.ts';
import type { Datafile, Snapshot } from '../snapshot.ts';
import { type SchemaReader, schemaReader } from './fits.ts';
import type { Noted, NotedReference } from './noted.ts';
import type { SchemaSet } from './schema-set.ts';

/** The datafiles about which their schema may have something to say: usually none, for which no validator is needed. */
export function* unsettled(snapshot: Snapshot, schemas: SchemaSet): Steps<Datafile[]> {
  const reader = schemaReader(schemas);
  const left: Datafile[] = [];
  for (const file of snapshot.datafiles.values()) {
    if (file.schema !== undefined && schemas.has(file.schema) && !isSettled(file, file.schema, snapshot, reader))
      left.push(file);
    yield;
  }
  return left;
}

function isSettled(
  { content }: Datafile,
  schema: string,
  { datafiles, resources }: Snapshot,
  reader: SchemaReader | undefined,
): boolean {
  const noted = nothingNoted();
  return (
    reader?.schema(schema)?.(content, noted) === true &&
    areSatisfied(noted.references, ({ target, demand }) => satisfies(datafiles.get(target), demand, reader)) &&
    (resources === undefined || noted.resources.every((path) => resources.has(path)))
  );
}

const nothingNoted = (): Noted => ({ references: [], resources: [], keys: [] });

/** Several branches of a choice may constrain one location; satisfying one of them is enough. */
function areSatisfied(
  references: readonly NotedReference[],
  isSatisfied: (reference: NotedReference) => boolean,
): boolean {
  const satisfied = references.filter(isSatisfied);
  if (satisfied.length === references.length) return true;
  const places = new Set(satisfied.map(placeOf));
  return references.every((reference) => places.has(placeOf(reference)));
}

function placeOf({ keys }: NotedReference): string {
  return JSON.stringify(keys);
}

/** A target that is not there is reported by another check. */
function satisfies(target: Datafile | undefined, demand: string | object, reader: SchemaReader): boolean {
  if (target === undefined) return true;
  if (typeof demand === 'string') return target.schema === demand;
  return reader.inline(demand)?.(target.content, nothingNoted()) === true;
}
