import type { Steps } from '../../base/index.ts';
import { type Keeping, type KeptValues, keptValues } from '../kept-values.ts';
import type { Datafile, Snapshot } from '../snapshot.ts';
import { type SchemaReader, schemaReader } from './fits.ts';
import type { Noted, NotedReference } from './noted.ts';
import type { SchemaSet } from './schema-set.ts';

/** What the schemas say about the bytes of a datafile, wherever it is and whatever it refers to. */
interface Verdict {
  readonly fits: boolean;
  readonly references: readonly NotedReference[];
  readonly resources: readonly string[];
}

/** The datafiles about which their schema may have something to say: usually none, for which no validator is needed. */
export function* unsettled(snapshot: Snapshot, schemas: SchemaSet, keeping?: Keeping): Steps<Datafile[]> {
  const before = keptVerdicts(schemas, keeping);
  const reader = onFirstUse(() => schemaReader(schemas));
  const left: Datafile[] = [];
  for (const file of snapshot.datafiles.values()) {
    if (file.schema === undefined || !schemas.has(file.schema)) continue;
    const { schema, content } = file;
    const name = snapshot.contentName?.(file.path);
    const judge = () => verdictOn(content, schema, reader());
    const verdict = before === undefined || name === undefined ? judge() : before.use(name, judge);
    if (!isSettled(verdict, snapshot, reader)) left.push(file);
    yield;
  }
  before?.save();
  return left;
}

function keptVerdicts({ fingerprint }: SchemaSet, keeping: Keeping | undefined): KeptValues<Verdict> | undefined {
  if (keeping === undefined || fingerprint === undefined) return undefined;
  return keptValues<Verdict>(keeping, 'verdicts', fingerprint);
}

function onFirstUse<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const nothingNoted = (): Noted => ({ references: [], resources: [], keys: [], unsure: 0 });

function verdictOn(content: unknown, schema: string, reader: SchemaReader | undefined): Verdict {
  const { references, resources, ...noted } = nothingNoted();
  const fits = reader?.schema(schema)?.(content, { references, resources, ...noted }) === true;
  return { fits, references, resources };
}

function isSettled(
  { fits, references, resources }: Verdict,
  snapshot: Snapshot,
  reader: () => SchemaReader | undefined,
): boolean {
  return (
    fits &&
    areSatisfied(references, ({ target, demand }) => satisfies(snapshot.datafiles.get(target), demand, reader)) &&
    resources.every((path) => snapshot.resources?.has(path) ?? true)
  );
}

/** Several branches of a choice may constrain one location; satisfying one of them that the validator meets is enough. */
function areSatisfied(
  references: readonly NotedReference[],
  isSatisfied: (reference: NotedReference) => boolean,
): boolean {
  const satisfied = references.filter(isSatisfied);
  if (satisfied.length === references.length) return true;
  const places = new Set(satisfied.filter(({ isUnsure }) => isUnsure !== true).map(placeOf));
  return references.every((reference) => places.has(placeOf(reference)));
}

function placeOf({ keys }: NotedReference): string {
  return JSON.stringify(keys);
}

/** A target that is not there is reported by another check. */
function satisfies(
  target: Datafile | undefined,
  demand: string | object,
  reader: () => SchemaReader | undefined,
): boolean {
  if (target === undefined) return true;
  if (typeof demand === 'string') return target.schema === demand;
  return reader()?.inline(demand)?.(target.content, nothingNoted()) === true;
}
