import { basename } from 'node:path/posix';
import { byText, count, didYouMean, EchelonError, isImageDigest, isJson } from '../../base/index.ts';
import { type KeyPath, keyPathText, readYaml, type Snapshot } from '../../instance/index.ts';
import type { Form, Target } from './promotion-file.ts';
import { type Miss, type Node, selectorPathText, walkData } from './selector-path.ts';

/** Where a target's value is. */
export type TargetLocation =
  | { readonly by: 'env'; readonly file: string; readonly key: string }
  | {
      readonly by: 'line';
      readonly file: string;
      readonly key: string;
      /** Which of the lines with the key, from 0, and how many there are. */
      readonly index: number;
      readonly matches: number;
    }
  | {
      readonly by: 'yaml';
      readonly file: string;
      readonly keys: KeyPath;
      /** The tag's digest: both change or neither. */
      readonly digest?: KeyPath;
    };

export interface Sources {
  readonly snapshot: Snapshot;
  /** The bytes of a file in the instance. */
  readonly read: (file: string) => Uint8Array | undefined;
}

/** The places of a target in this instance. Throws if a required one is missing or matches too often. */
export function findTarget(target: Target, sources: Sources): readonly TargetLocation[] {
  const { min, max } = limitsOf(target);
  const { places, found, why } =
    target.key === undefined ? byPath(target, sources) : byKey(target, target.key, sources);
  if (found > max) throw tooMany(target, found, max, places);
  if (found >= min || (!target.required && found === 0)) return places;
  const reason = why.join('; ') || `${count(found, 'place')} found, ${min} expected`;
  throw new EchelonError({
    code: 'TARGET_NOT_FOUND',
    message: `target ${target.name}: ${reason}${brokenFiles(sources.snapshot)}${reason.endsWith('?') ? '' : '.'} Nothing was promoted`,
    hint: `fix the target in promotion.yml, or set required: false`,
  });
}

/** An unreadable file may be the missing one. */
function brokenFiles({ problems }: Snapshot): string {
  const broken = problems.filter(({ severity }) => severity === 'error');
  const named = broken.slice(0, MAX_REPORTED).map(({ file, line, message }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    return `${place}: ${message}`;
  });
  return named.length === 0 ? '' : `; unreadable files may be the cause: ${named.join('; ')}`;
}

function limitsOf({ matches }: Target): { min: number; max: number } {
  const min = matches?.min ?? 1;
  return { min, max: matches?.max ?? Math.max(min, 1) };
}

interface Located {
  readonly places: readonly TargetLocation[];
  readonly found: number;
  readonly why: readonly string[];
}

function byKey({ file = '' }: Target, key: string, { read, snapshot }: Sources): Located {
  const bytes = read(file);
  if (bytes === undefined) return { places: [], found: 0, why: [fileMissing(file, snapshot)] };
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  const by = isEnv(file) ? 'env' : 'line';
  const keys = by === 'env' ? envKeys(text) : lineKeys(text);
  const found = keys.filter((each) => each === key).length;
  if (found === 0) return { places: [], found, why: [`${file} has no key ${key}${alike(key, keys)}`] };
  const places: TargetLocation[] =
    by === 'env'
      ? [{ by, file, key }]
      : Array.from({ length: found }, (_, index) => ({ by, file, key, index, matches: found }));
  return { places, found, why: [] };
}

function isEnv(file: string): boolean {
  return /^\.env(?:\.|$)|\.env$/.test(basename(file));
}

function envKeys(text: string): string[] {
  return [...text.matchAll(/^(?:export )?([A-Za-z_]\w*)=/gm)].map(([, key = '']) => key);
}

/** The keys of a text that may not be YAML, such as a template. */
function lineKeys(text: string): string[] {
  return [...text.matchAll(/^[ \t]*(?:- )?[ \t]*(["']?)([^\s"'#:][^"'\r\n:]*?)\1[ \t]*:/gm)].map(
    ([, , key = '']) => key,
  );
}

function alike(key: string, keys: readonly string[]): string {
  const close = didYouMean(key, keys, '');
  return close === '' ? '' : `, ${close}`;
}

function fileMissing(file: string, { datafiles, resources }: Snapshot): string {
  const files = [
    ...[...datafiles.keys()].map((path) => `data${path}`),
    ...[...(resources ?? [])].map((path) => `resources${path}`),
  ];
  const same = files.filter((each) => basename(each) === basename(file));
  const moved = same.length === 0 ? `, or it is a link${alike(file, files)}` : `; found ${same.join(' and ')}`;
  return `no file ${file}${moved}`;
}

function byPath(target: Target, sources: Sources): Located {
  const resource = resourceOf(target, sources);
  const data = resource ?? sources.snapshot;
  const candidates = resource === undefined ? candidatesOf(target, sources.snapshot) : { files: [RESOURCE], why: [] };
  if (candidates.files.length === 0) return { places: [], found: 0, why: candidates.why };
  const walked = candidates.files.map((path) => walkData(data, path, target.path ?? []));
  const nodes = walked.flatMap(({ found }) => found);
  const places = distinct(nodes.map((node) => yamlLocation(target, node, data)));
  return {
    places,
    found: places.length,
    why: farthest(
      walked.flatMap(({ misses }) => misses),
      target,
    ),
  };
}

/** The only file of the data in which the path of a resource file is looked up. */
const RESOURCE = '';

/** A YAML file outside of `data/`, as data of its own: references in it are not followed. */
function resourceOf({ file }: Target, { read }: Sources): Pick<Snapshot, 'datafiles'> | undefined {
  const bytes = file === undefined || file.startsWith('data/') ? undefined : read(file);
  if (file === undefined || bytes === undefined) return undefined;
  const [content] = readYaml(file, bytes).models.yaml11;
  return { datafiles: new Map([[RESOURCE, { path: RESOURCE, content: isJson(content) ? content : {} }]]) };
}

function fileOf({ file }: Target, path: string): string {
  return path === RESOURCE ? (file ?? '') : `data${path}`;
}

function candidatesOf(target: Target, snapshot: Snapshot): { files: readonly string[]; why: readonly string[] } {
  const { datafiles } = snapshot;
  if (target.file !== undefined) {
    const path = target.file.replace(/^data/, '');
    const there = target.file.startsWith('data/') && datafiles.has(path);
    return there ? { files: [path], why: [] } : { files: [], why: [fileMissing(target.file, snapshot)] };
  }
  const schemas = target.schema ?? [];
  const ofSchema = [...datafiles.values()].filter(({ schema }) => schema !== undefined && schemas.includes(schema));
  if (ofSchema.length === 0) return { files: [], why: [`no datafile has the schema ${schemas.join(' or ')}`] };
  const wanted = Object.entries(target.selector ?? {});
  const files = ofSchema.filter(({ content }) => wanted.every(([key, value]) => String(content[key]) === value));
  const why = wanted.map(([key, value]) => {
    const there = ofSchema.map(({ content }) => String(content[key]));
    return `no datafile of ${schemas.join(' or ')} has ${key} ${value}${alike(value, there)}`;
  });
  return { files: files.map(({ path }) => path).sort(byText), why };
}

function yamlLocation(
  target: Target,
  { path, keys }: Node,
  { datafiles }: Pick<Snapshot, 'datafiles'>,
): TargetLocation {
  const place = { by: 'yaml', file: fileOf(target, path), keys } as const;
  if (target.digest === undefined) return place;
  const digest = [...keys.slice(0, -1), target.digest];
  if (typeof valueAtKeys(datafiles.get(path)?.content, digest) === 'string') return { ...place, digest };
  throw new EchelonError({
    code: 'TARGET_NOT_FOUND',
    message: `target ${target.name}: ${place.file} has no ${target.digest} next to ${keyPathText(keys)}, and a tag and its digest change together. Nothing was promoted`,
    hint: 'add the digest there, or remove digest from the target in promotion.yml',
  });
}

/** The value at keys, without following references. */
export function valueAtKeys(content: unknown, keys: KeyPath): unknown {
  let value = content;
  for (const key of keys) value = (value as Readonly<Record<string | number, unknown>> | null | undefined)?.[key];
  return value;
}

function distinct(places: readonly TargetLocation[]): TargetLocation[] {
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
}

const MAX_REPORTED = 3;

function farthest(misses: readonly Miss[], target: Target): string[] {
  const depth = Math.max(0, ...misses.map((miss) => miss.depth));
  return misses
    .filter((miss) => miss.depth === depth)
    .slice(0, MAX_REPORTED)
    .map(({ path, message }) => `${fileOf(target, path)}: ${message}`);
}

function tooMany(target: Target, found: number, max: number, places: readonly TargetLocation[]): EchelonError {
  const named = places
    .slice(0, MAX_REPORTED)
    .map((place) => `${place.file} ${place.by === 'yaml' ? keyPathText(place.keys) : place.key}`);
  const wanted = target.path === undefined ? (target.key ?? '') : selectorPathText(target.path);
  return new EchelonError({
    code: 'TARGET_AMBIGUOUS',
    message: `target ${target.name}: ${wanted} matches ${found} times, at most ${max} expected: ${named.join(', ')}. Nothing was promoted`,
    hint: 'make the path more specific, or allow more with matches: {max: …} in promotion.yml',
  });
}

/** The promoted version, in every known form. */
export interface Version {
  /** Full, 40 characters; the tag itself for an upstream without a repository. */
  readonly commit: string;
  /** Length of the short form, unless a target sets it. */
  readonly hashLength: number;
  /** Release name, if one was requested. */
  readonly tag?: string;
  /** `sha256:…` of the image; absent if the registry was not queried. */
  readonly digest?: string;
}

/** `8c41f7e`, or the tag where there is no commit. */
export function versionText({ commit, hashLength, tag }: Version): string {
  return commit === tag ? tag : commit.slice(0, hashLength);
}

/** Names that follow a moving target rather than one version. */
const MOVING = /^(?:latest|master|main|internal|stable)$/;

/** The text of a version in a form; undefined for an unknown digest. */
export function written(
  { commit, hashLength, tag, digest }: Version,
  { form, length = hashLength }: Pick<Target, 'form' | 'length'>,
): string | undefined {
  if (form === 'full') return commit;
  if (form === 'digest') return digest;
  return form === 'tag' && tag !== undefined ? tag : commit.slice(0, length);
}

/** Throws if a target's value does not match its form; returns whether the value follows a branch. */
export function checkForm(
  target: Target,
  old: string,
  place: string,
  hashLength: number,
): { readonly moving: boolean } {
  if (MOVING.test(old)) return { moving: true };
  const length = target.length ?? hashLength;
  if (fits(target.form, old, length)) return { moving: false };
  const expected: Record<Form, string> = {
    short: `a commit abbreviated to ${length} characters`,
    full: 'a full 40-character commit',
    digest: 'a digest such as sha256:…',
    tag: 'a tag',
  };
  throw new EchelonError({
    code: 'TARGET_FORM',
    message: `target ${target.name}: ${place} has ${old || 'no value'}, but form ${target.form} requires ${expected[target.form]}. Nothing was promoted`,
    hint: `fix the form${target.form === 'short' ? ' or the length' : ''} of the target in promotion.yml, or the value`,
  });
}

function fits(form: Form, old: string, length: number): boolean {
  if (form === 'short') return old.length === length && /^[0-9a-f]+$/.test(old);
  if (form === 'full') return /^[0-9a-f]{40}$/.test(old);
  if (form === 'digest') return old === '' || isImageDigest(old);
  return /^[\w][\w.-]{0,127}$/.test(old);
}
