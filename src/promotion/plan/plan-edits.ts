import { byText, defined, EchelonError } from '../../base/index.ts';
import {
  editEnv,
  editLines,
  editYaml,
  type FileEdit,
  type FoundScalar,
  keyPathText,
  readLines,
  readScalars,
  readVariable,
  type Snapshot,
} from '../../instance/index.ts';
import type { Note } from '../ports.ts';
import { checkForm, findTarget, type Sources, type TargetLocation } from '../targets/find-targets.ts';
import type { Form, Target } from '../targets/promotion-file.ts';

/** A value of a target where it is. A tag and its digest are two values. */
export interface TargetValue {
  readonly target: Target;
  readonly location: TargetLocation;
  readonly form: Form;
  readonly old: string;
  /** One-based. */
  readonly line: number;
}

export interface ReadTargets {
  /** In the order of targets, those of a target by file. */
  readonly values: readonly TargetValue[];
  readonly notes: readonly Note[];
}

/** The values of targets. Throws if a target cannot be found, cannot be edited or has another form. */
export function readTargets(targets: readonly Target[], sources: Sources, hashLength: number): ReadTargets {
  const found = targets.map((target) => ({ target, locations: findTarget(target, sources) }));
  const values = found.flatMap(({ target, locations }) =>
    locations
      .toSorted((a, b) => byText(a.file, b.file))
      .flatMap((location) => valuesAt(target, location, sources.read(location.file) ?? fault(location.file))),
  );
  refuseTwice(values);
  return {
    values,
    notes: [
      ...found.flatMap(({ target, locations }) => (locations.length === 0 ? [optionalMissing(target)] : [])),
      ...values.filter((value) => followsBranch(value, sources.snapshot, hashLength)).map(followingNote),
    ],
  };
}

function valuesAt(target: Target, location: TargetLocation, bytes: Uint8Array): TargetValue[] {
  const own = { target, location, form: target.form, ...scalarAt(location, bytes) };
  if (location.by !== 'yaml' || location.digest === undefined) return [own];
  const beside: TargetLocation = { ...location, keys: location.digest };
  return [own, { target, location: beside, form: 'digest', ...scalarAt(beside, bytes) }];
}

/** The scalar of a location in the text of its file; throws if there is none that could be replaced. */
export function scalarAt(location: TargetLocation, bytes: Uint8Array): FoundScalar {
  const { by, file } = location;
  if (by === 'env') return readVariable(file, bytes, location.key);
  const found =
    by === 'line' ? readLines(file, bytes, location.key)[location.index] : readScalars(file, bytes, [location.keys])[0];
  return found ?? fault(file);
}

/** Rejects two targets for the same value. */
function refuseTwice(values: readonly TargetValue[]): void {
  const seen = new Map<string, TargetValue>();
  for (const value of values) {
    const { location, target } = value;
    const other = seen.get(locationId(location));
    if (other !== undefined) {
      throw new EchelonError({
        code: 'TARGET_AMBIGUOUS',
        message: `targets ${other.target.name} and ${target.name} refer to the same value in ${location.file}. Nothing was promoted`,
        hint: 'make the path of one more specific in promotion.yml, or remove one',
      });
    }
    seen.set(locationId(location), value);
  }
}

function locationId(location: TargetLocation): string {
  const { by, file } = location;
  return JSON.stringify([file, by === 'yaml' ? location.keys : by === 'env' ? location.key : [location]]);
}

/** Checks the form of a value; whether it follows a branch. */
function followsBranch(
  { target, location, form, old, line }: TargetValue,
  snapshot: Snapshot,
  length: number,
): boolean {
  const at = `${location.file}:${line}`;
  if (location.by === 'yaml' && location.keys.at(-1) === 'ref' && form !== 'full' && isSaas(snapshot, location.file)) {
    throw new EchelonError({
      code: 'TARGET_FORM',
      message: `target ${target.name}: ${at} is the ref of a saas file, which needs a full 40-character commit, but its form is ${form}. Nothing was promoted`,
      hint: 'set form: full for the target in promotion.yml',
    });
  }
  return checkForm({ ...target, form }, old, at, length).moving;
}

function isSaas({ datafiles }: Snapshot, file: string): boolean {
  return /^\/app-sre\/saas-file-(?:target-)?\d+\.yml$/.test(datafiles.get(file.replace(/^data/, ''))?.schema ?? '');
}

function followingNote({ target, location, line, old }: TargetValue): Note {
  return {
    rule: 'follows-branch',
    message: `target ${target.name} follows ${old} now and will be fixed to the promoted commit`,
    hint: 'remove the target from promotion.yml if it should keep following the branch',
    at: `${location.file}:${line}`,
  };
}

function optionalMissing({ name }: Target): Note {
  return {
    rule: 'optional-missing',
    message: `target ${name} is not in this instance`,
    hint: 'no action needed: it is not required',
  };
}

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
}

/** The new value of a target's value; undefined for one that is not known. */
export type NewValue = (value: TargetValue) => string | undefined;

/** The new bytes of every file with values. */
export function editTargets(values: readonly TargetValue[], read: Sources['read'], newValue: NewValue): PlannedEdits {
  const changes = values.map((value): Change => ({ ...value, value: newValue(value) }));
  const waiting = new Set(changes.filter((change) => needsDigest(change, changes)).map(pairId));
  const ready = changes.filter(({ value }) => value !== undefined).filter((change) => !waiting.has(pairId(change)));
  const files = [...Map.groupBy(ready, ({ location }) => location.file)]
    .toSorted(([a], [b]) => byText(a, b))
    .map(([file, own]) => {
      const before = read(file) ?? fault(file);
      return { file, before, after: edited(file, before, own) };
    });
  return {
    items: changes.map((change) => itemOf(change, waiting.has(pairId(change)))),
    files: files.filter(({ before, after }) => !sameBytes(before, after)),
    pending: [...new Set(changes.filter((change) => waiting.has(pairId(change))).map(({ target }) => target.name))],
  };
}

type Change = TargetValue & { readonly value: string | undefined };

/** The tag changes, but its new digest is unknown: neither may change. */
function needsDigest(change: Change, all: readonly Change[]): boolean {
  const { form, target, location, value, old } = change;
  if (form === 'digest' && target.form === 'digest') return value === undefined;
  if (location.by !== 'yaml' || location.digest === undefined || form === 'digest') return false;
  const digest = all.find((other) => other.form === 'digest' && pairId(other) === pairId(change));
  return value !== undefined && old !== value && digest?.value === undefined;
}

/** The same for a tag and its digest. */
function pairId({ target, location }: Change): string {
  const keys = location.by === 'yaml' ? location.keys.slice(0, -1) : [locationId(location)];
  return JSON.stringify([target.name, location.file, keys]);
}

/** Lines stay where they are: a value is on one line before and after. */
function edited(file: string, before: Uint8Array, changes: readonly Change[]): Uint8Array {
  const of = <By extends TargetLocation['by']>(by: By) =>
    changes.flatMap(({ location, value = '', line }) =>
      location.by === by ? [{ location: location as TargetLocation & { by: By }, value, line }] : [],
    );
  const [inYaml, inEnv, inLines] = [of('yaml'), of('env'), of('line')];
  let bytes = before;
  if (inYaml.length > 0)
    bytes = editYaml(
      file,
      bytes,
      inYaml.map(({ location, value }) => ({ path: location.keys, value })),
    ).bytes;
  if (inEnv.length > 0)
    bytes = editEnv(
      file,
      bytes,
      inEnv.map(({ location, value }) => ({ key: location.key, value })),
    ).bytes;
  if (inLines.length > 0)
    bytes = editLines(
      file,
      bytes,
      inLines.map(({ location: { key, matches }, value, line }) => ({ key, matches, value, line })),
    ).bytes;
  return bytes;
}

function itemOf({ target, location, form, value, line, old }: Change, waiting: boolean): PlannedItem {
  const known = waiting && form === 'digest' ? undefined : value;
  const keep = form === 'digest' && known === undefined && !waiting ? old : known;
  return {
    target: target.name,
    ...defined({ environment: target.environment }),
    file: location.file,
    line,
    key: location.by === 'yaml' ? keyPathText(location.keys) : location.key,
    form,
    old,
    ...defined({ value: keep }),
    changed: keep === undefined || keep !== old,
  };
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function fault(file: string): never {
  throw new Error(`${file} disappeared while it was read`);
}
