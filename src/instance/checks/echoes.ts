import type { Finding } from '../problem.ts';
import type { KeyPath } from '../yaml/source-tree.ts';

const SCHEMA_RULE = 'json-schema';

/**
 * Several checks find the same mistake: per location the first finding is kept, and JSON schema findings come last. What a
 * schema forbids is an error though, whatever the first finding was, and a malformed value (`bad-…`) is not
 * reported again by the schema.
 */
export function withoutEchoes(findings: readonly Finding[]): Finding[] {
  const places = new Map<string, Finding[]>();
  for (const finding of withoutCollisions(findings)) {
    const keys = keysOf(finding);
    const place = placeOf(finding.path, keys);
    const here = places.get(place);
    if (finding.rule !== SCHEMA_RULE) addOnce(places, place, finding);
    else if (here !== undefined)
      places.set(
        place,
        here.map((earlier) => ({ ...earlier, severity: 'error' })),
      );
    else if (!malformedAbove(places, finding.path, keys)) places.set(place, [finding]);
  }
  return [...places.values()].flat();
}

/** Objects that collide because of a duplicate name are reported once, at the name. */
function withoutCollisions(findings: readonly Finding[]): readonly Finding[] {
  const doubled = findings.some(({ rule }) => rule === 'duplicate-name' || rule === 'managed-twice');
  return doubled ? findings.filter(({ rule }) => rule !== 'object-name-collision') : findings;
}

function addOnce(places: Map<string, Finding[]>, place: string, finding: Finding): void {
  const here = places.get(place) ?? [];
  if (!here.some(({ rule }) => rule === finding.rule)) places.set(place, [...here, finding]);
}

function malformedAbove(places: ReadonlyMap<string, readonly Finding[]>, path: string, keys: KeyPath): boolean {
  return keys.some((_, length) =>
    places.get(placeOf(path, keys.slice(0, length)))?.some(({ rule }) => rule.startsWith('bad-')),
  );
}

/** A schema reports a missing field at the mapping, the other checks at the field. */
function keysOf({ rule, keys, message }: Finding): KeyPath {
  const missing = rule === SCHEMA_RULE ? /^(\S+) is missing$/.exec(message)?.[1] : undefined;
  return missing === undefined ? keys : [...keys, missing];
}

function placeOf(path: string, keys: KeyPath): string {
  return `${path}\n${JSON.stringify(keys)}`;
}
