import { isJson } from '../../base/index.ts';
import {
  type Finding,
  type KeyPath,
  locateFindings,
  problemsIn,
  readLines,
  type Snapshot,
} from '../../instance/index.ts';
import type { Note } from '../ports.ts';
import type { Sources, TargetLocation } from '../targets/find-targets.ts';
import { deployedRefs, locationId as id, knownKeys, literals, unlessLink } from './known-keys.ts';

interface Known {
  readonly upstream: { readonly name: string; readonly url?: string };
  /** The places of targets in `promotion.yml`, including excluded ones. */
  readonly places: readonly TargetLocation[];
  /** Values that the promotion replaces. */
  readonly old: readonly string[];
}

const MAX_REPORTED = 20;
const HINT = 'add a target to promotion.yml, or ignore this if the value should stay';

/** Places that appear to hold a version of the upstream but that no target covers. */
export function uncovered({ snapshot, read }: Sources, known: Known): Note[] {
  const keys = knownKeys(known.upstream);
  const covered = new Set(known.places.map(idOf));
  const hits = [...datafileHits(snapshot, known, keys)].filter(
    ({ path, keys: at }) => !covered.has(id(`data${path}`, at)),
  );
  const located = locateFindings(snapshot, hits);
  const notes = [
    ...envHits(snapshot, known, keys)
      .filter(({ key }) => !covered.has(id('.env', [key])))
      .map(({ note }) => note),
    ...located.map(({ file, line, message }) => noteAt(`${file}${line === undefined ? '' : `:${line}`}`, message)),
    ...resourceHits({ snapshot, read }, known, keys, covered),
  ];
  const more = notes.length - MAX_REPORTED;
  return more <= 0
    ? notes
    : [
        ...notes.slice(0, MAX_REPORTED),
        { rule: 'not-covered', message: `${more} more places that no target covers`, hint: HINT },
      ];
}

function idOf(place: TargetLocation): string {
  return id(place.file, place.by === 'yaml' ? place.keys : [place.key]);
}

function noteAt(at: string, message: string): Note {
  return { rule: 'not-covered', message, hint: HINT, at };
}

function envHits({ env }: Snapshot, { old }: Known, keys: readonly string[]): { key: string; note: Note }[] {
  return [...env]
    .filter(([key, value]) => keys.includes(key) || isOld(value, old))
    .map(([key, value]) => ({ key, note: noteAt('.env', `${key} is ${value}, but no target covers it`) }));
}

function isOld(value: unknown, old: readonly string[]): boolean {
  return (
    typeof value === 'string' &&
    value.length >= 7 &&
    old.some((each) => each === value || (value.length >= 7 && each.startsWith(value)))
  );
}

/** By the name of the key, by an old value, or as the ref of a saas file that deploys the upstream. */
function* datafileHits(snapshot: Snapshot, { upstream, old }: Known, keys: readonly string[]): Generator<Finding> {
  const refs = deployedRefs(snapshot, upstream.url);
  for (const { path, content, schema } of snapshot.datafiles.values()) {
    for (const { at, value } of scalars(content, [])) {
      const key = String(at.at(-1));
      const isPin = key === 'imageRef' && schema === '/app-sre/integration-1.yml';
      const isRef = key === 'ref' && /^[0-9a-f]{40}$/.test(value) && refs.has(id(path, at));
      if (isPin || !(isRef || keys.includes(key) || isOld(value, old))) continue;
      const message = `${key} is ${value}, but no target covers it`;
      yield { rule: 'not-covered', severity: 'warning', path, keys: at, message, hint: HINT };
    }
  }
}

function* scalars(value: unknown, at: KeyPath): Generator<{ at: KeyPath; value: string }> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* scalars(item, [...at, index]);
  } else if (isJson(value)) {
    for (const [key, item] of Object.entries(value)) yield* scalars(item, [...at, key]);
  } else if (typeof value === 'string') {
    yield { at, value };
  }
}

function resourceHits(
  { snapshot, read }: Sources,
  { old, places }: Known,
  keys: readonly string[],
  covered: ReadonlySet<string>,
): Note[] {
  return [...(snapshot.resources ?? [])].flatMap((path) => {
    const file = `resources${path}`;
    const bytes = unlessLink(read, file);
    const named = literals(bytes, keys).filter(({ key }) => !covered.has(id(file, [key])));
    const lines = new Set([
      ...literals(bytes, keys).map(({ line }) => line),
      ...linesOf(places, file, bytes),
      ...keyedLines(places, file, bytes),
    ]);
    const valued = oldLines(bytes, old).filter(({ line }) => !lines.has(line));
    return [
      ...named.map(({ key, value, line }) => noteAt(`${file}:${line}`, `${key} is ${value}, but no target covers it`)),
      ...valued.map(({ value, line }) => noteAt(`${file}:${line}`, `found ${value}, but no target covers it`)),
    ];
  });
}

/** The lines of places that are found by a key. */
function keyedLines(places: readonly TargetLocation[], file: string, bytes: Uint8Array | undefined): number[] {
  const own = places.flatMap((place) => (place.by === 'line' && place.file === file ? [place.key] : []));
  if (bytes === undefined) return [];
  return [...new Set(own)].flatMap((key) => readLines(file, bytes, key).map(({ line }) => line));
}

/** The lines of places in a YAML file. */
function linesOf(places: readonly TargetLocation[], file: string, bytes: Uint8Array | undefined): number[] {
  const own = places.flatMap((place) => (place.by === 'yaml' && place.file === file ? [place.keys] : []));
  if (own.length === 0 || bytes === undefined) return [];
  const about = { rule: 'not-covered', severity: 'warning', message: '', hint: '' } as const;
  const found = problemsIn(
    file,
    Buffer.from(bytes).toString('utf8'),
    own.map((at) => ({ ...about, keys: at })),
  );
  return found.flatMap(({ line }) => line ?? []);
}

const MAX_RESOURCE_BYTES = 1024 * 1024;

function oldLines(bytes: Uint8Array | undefined, old: readonly string[]): { value: string; line: number }[] {
  if (bytes === undefined || bytes.byteLength > MAX_RESOURCE_BYTES) return [];
  const values = [...new Set(old.flatMap((each) => [each, each.slice(0, 7)]))].filter((each) =>
    /^[0-9a-f]{7,40}$/.test(each),
  );
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  return lines.flatMap((text, index) => {
    const words = new Set(text.match(/[\w-]+/g) ?? []);
    const value = values.find((each) => words.has(each));
    return value === undefined ? [] : [{ value, line: index + 1 }];
  });
}
