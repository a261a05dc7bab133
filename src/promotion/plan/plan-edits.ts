import { byText, defined, EchelonError } from '../../base/index.ts';
import {
  type Edited,
  type EditedScalar,
  editEnv,
  editLines,
  editYaml,
  type FileEdit,
  keyPathText,
  type ScalarEdit,
  type Snapshot,
} from '../../instance/index.ts';
import type { Note } from '../ports.ts';
import {
  checkForm,
  findTarget,
  type Sources,
  type TargetLocation,
  type Version,
  written,
} from '../targets/find-targets.ts';
import type { Form, Target } from '../targets/promotion-file.ts';

/** One value of a target, old and new. */
export interface PlannedItem {
  readonly target: string;
  readonly environment?: string;
  readonly file: string;
  /** One-based. */
  readonly line: number;
  readonly key: string;
  readonly form: Form;
  readonly old: string;
  /** Absent if unknown, such as a digest that was not queried. */
  readonly value?: string;
  readonly changed: boolean;
}

export interface PlannedEdits {
  readonly items: readonly PlannedItem[];
  /** Only files that change, each once, ordered by name. */
  readonly files: readonly FileEdit[];
  /** Targets whose digest is pending: while there are any, nothing may be written. */
  readonly pending: readonly string[];
  readonly notes: readonly Note[];
}

/** The new value of a target; undefined leaves it unchanged. */
export type ValueFor = (target: Target, form: Form, place: TargetLocation) => string | undefined;

interface Wanted {
  readonly target: Target;
  readonly place: TargetLocation;
  readonly form: Form;
  readonly value: string | undefined;
}

/** The new bytes of every file with targets. Throws if a target cannot be found or has another form. */
export function planEdits(
  targets: readonly Target[],
  sources: Sources,
  version: Version,
  valueFor?: ValueFor,
): PlannedEdits {
  const value = valueFor ?? ((target: Target, form: Form) => written(version, { ...target, form }));
  const located = targets.map((target) => ({ target, places: findTarget(target, sources) }));
  const wanted = located.flatMap(({ target, places }) => places.flatMap((place) => wantedAt(target, place, value)));
  refuseTwice(wanted);
  const byFile = [...Map.groupBy(wanted, ({ place }) => place.file)].toSorted(([a], [b]) => byText(a, b));
  const files = byFile.map(([file, own]) => planFile(file, own, sources, version));
  const order = new Map(targets.map(({ name }, index) => [name, index]));
  return {
    items: files
      .flatMap(({ items }) => items)
      .toSorted((a, b) => (order.get(a.target) ?? 0) - (order.get(b.target) ?? 0)),
    files: files.map(({ edit }) => edit).filter(({ before, after }) => !sameBytes(before, after)),
    pending: [...new Set(files.flatMap(({ pending }) => pending))],
    notes: [
      ...located.flatMap(({ target, places }) => (places.length === 0 ? [optionalMissing(target)] : [])),
      ...files.flatMap(({ notes }) => notes),
    ],
  };
}

/** A tag and its digest are two values of one place. */
function wantedAt(target: Target, place: TargetLocation, value: ValueFor): Wanted[] {
  const own: Wanted = { target, place, form: target.form, value: value(target, target.form, place) };
  if (place.by !== 'yaml' || place.digest === undefined) return [own];
  const digestPlace: TargetLocation = { ...place, keys: place.digest };
  const digest: Wanted = {
    target,
    place: digestPlace,
    form: 'digest',
    value: value(target, 'digest', digestPlace),
  };
  return [own, digest];
}

/** Rejects two targets for the same value. */
function refuseTwice(wanted: readonly Wanted[]): void {
  const seen = new Map<string, Wanted>();
  for (const each of wanted) {
    const { place, target } = each;
    const id = JSON.stringify([place.file, place.by === 'yaml' ? place.keys : place.key]);
    const other = seen.get(id);
    if (other !== undefined) {
      throw new EchelonError({
        code: 'TARGET_AMBIGUOUS',
        message: `targets ${other.target.name} and ${target.name} refer to the same value in ${place.file}. Nothing was promoted`,
        hint: 'make the path of one more specific in promotion.yml, or remove one',
      });
    }
    seen.set(id, each);
  }
}

interface PlannedFile {
  readonly edit: FileEdit;
  readonly items: readonly PlannedItem[];
  readonly pending: readonly string[];
  readonly notes: readonly Note[];
}

function planFile(file: string, wanted: readonly Wanted[], sources: Sources, version: Version): PlannedFile {
  const before = sources.read(file) ?? fault(file);
  const old = scalarsOf(file, before, wanted);
  const pairs = slotsOf(wanted).map((each, index) => ({ each, scalar: old[index] ?? fault(file) }));
  const moving = pairs.map(({ each, scalar }) => checkOne(each, scalar, sources.snapshot, version));
  const waiting = new Set(
    pairs.filter(({ each, scalar }) => needsDigest(each, scalar, pairs)).map(({ each }) => placeId(each)),
  );
  const ready = wanted.filter((each) => each.value !== undefined && !waiting.has(placeId(each)));
  const after = ready.length === 0 ? before : apply(file, before, ready).bytes;
  return {
    edit: { file, before, after },
    items: pairs.map(({ each, scalar }) => itemOf(each, scalar, waiting.has(placeId(each)))),
    pending: wanted.filter((each) => waiting.has(placeId(each))).map(({ target }) => target.name),
    notes: pairs.flatMap(({ each, scalar }, index) => (moving[index] ? [followsBranch(each, scalar)] : [])),
  };
}

/** A key that occurs several times in a text has several values. */
function slotsOf(wanted: readonly Wanted[]): readonly Wanted[] {
  return wanted.flatMap((each) =>
    Array.from({ length: each.place.by === 'line' ? each.place.matches : 1 }, () => each),
  );
}

/** Old values and lines, from an edit that changes nothing. */
function scalarsOf(file: string, before: Uint8Array, wanted: readonly Wanted[]): readonly EditedScalar[] {
  return apply(
    file,
    before,
    wanted.map((each) => ({ ...each, value: each.value ?? '0000000' })),
  ).scalars;
}

function apply(file: string, bytes: Uint8Array, wanted: readonly Wanted[]): Edited {
  const yaml = wanted.flatMap(({ place, value = '' }): ScalarEdit[] =>
    place.by === 'yaml' ? [{ path: place.keys, value }] : [],
  );
  if (yaml.length > 0) return editYaml(file, bytes, yaml);
  const keyed = wanted.flatMap(({ place, value = '' }) =>
    place.by === 'yaml' ? [] : [{ key: place.key, value, matches: place.matches, by: place.by }],
  );
  return keyed[0]?.by === 'env' ? editEnv(file, bytes, keyed) : editLines(file, bytes, keyed);
}

/** The tag changes, but its new digest is unknown: neither may change. */
function needsDigest(
  each: Wanted,
  scalar: EditedScalar,
  all: readonly { each: Wanted; scalar: EditedScalar }[],
): boolean {
  if (each.form === 'digest' && each.target.form === 'digest') return each.value === undefined;
  if (each.place.by !== 'yaml' || each.place.digest === undefined || each.form === 'digest') return false;
  const digest = all.find((other) => other.each.form === 'digest' && placeId(other.each) === placeId(each));
  return each.value !== undefined && scalar.old !== each.value && digest?.each.value === undefined;
}

/** The same for a tag and its digest. */
function placeId({ target, place }: Wanted): string {
  const keys = place.by === 'yaml' ? place.keys.slice(0, -1) : [place.key];
  return JSON.stringify([target.name, place.file, keys]);
}

function checkOne(
  { target, place, form }: Wanted,
  { old, line }: EditedScalar,
  snapshot: Snapshot,
  version: Version,
): boolean {
  const at = `${place.file}:${line}`;
  if (place.by === 'yaml' && place.keys.at(-1) === 'ref' && form !== 'full' && isSaas(snapshot, place.file)) {
    throw new EchelonError({
      code: 'TARGET_FORM',
      message: `target ${target.name}: ${at} is the ref of a saas file, which needs a full 40-character commit, but its form is ${form}. Nothing was promoted`,
      hint: 'set form: full for the target in promotion.yml',
    });
  }
  return checkForm({ ...target, form }, old, at, version.hashLength).moving;
}

function isSaas({ datafiles }: Snapshot, file: string): boolean {
  return /^\/app-sre\/saas-file-(?:target-)?\d+\.yml$/.test(datafiles.get(file.replace(/^data/, ''))?.schema ?? '');
}

function itemOf({ target, place, form, value }: Wanted, { line, old }: EditedScalar, waiting: boolean): PlannedItem {
  const known = waiting && form === 'digest' ? undefined : value;
  const keep = form === 'digest' && known === undefined && !waiting ? old : known;
  return {
    target: target.name,
    ...defined({ environment: target.environment }),
    file: place.file,
    line,
    key: place.by === 'yaml' ? keyPathText(place.keys) : place.key,
    form,
    old,
    ...defined({ value: keep }),
    changed: keep === undefined || keep !== old,
  };
}

function followsBranch({ target, place }: Wanted, { line, old }: EditedScalar): Note {
  return {
    rule: 'follows-branch',
    message: `target ${target.name} follows ${old} now and will be fixed to the promoted commit`,
    hint: 'remove the target from promotion.yml if it should keep following the branch',
    at: `${place.file}:${line}`,
  };
}

function optionalMissing({ name }: Target): Note {
  return {
    rule: 'optional-missing',
    message: `target ${name} is not in this instance`,
    hint: 'no action needed: it is not required',
  };
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function fault(file: string): never {
  throw new Error(`${file} disappeared while it was read`);
}
