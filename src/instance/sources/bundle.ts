import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { defined, EchelonError, humanBytes, isJson, type Json, messageOf } from '../../base/index.ts';
import { isDeeperThan, jsonReason, withoutBom } from '../parse-datafile.ts';
import type { Problem } from '../problem.ts';
import {
  type Datafile,
  datafile,
  ECHELON_FILES,
  fileOf,
  type InstanceSource,
  type Revision,
  type Snapshot,
} from '../snapshot.ts';
import { MAX_NESTING } from '../yaml/yaml11.ts';

/** Slightly below the longest string of Node. */
export const MAX_BUNDLE_BYTES = 500 * 1024 * 1024;

/** An instance as the single JSON document that the existing bundler writes. */
export function bundleSource(file: string): InstanceSource {
  return {
    origin: file,
    currentRevision: async () => undefined,
    load: async () => snapshotOfBundle(file, readBundle(file)),
  };
}

function readBundle(file: string): string {
  const { size } = statSync(file);
  if (size <= MAX_BUNDLE_BYTES) return readFileSync(file, 'utf8');
  throw new EchelonError({
    code: 'BUNDLE_TOO_LARGE',
    message: `${file} has ${humanBytes(size)}; the limit for a bundle is ${humanBytes(MAX_BUNDLE_BYTES)}`,
    hint: 'use a directory or a qontract-server instead',
  });
}

function snapshotOfBundle(file: string, text: string): Snapshot {
  const bundle = parseBundle(file, text);
  const { datafiles, problems } = datafilesOf(bundle['data'] as Json);
  const { resources } = bundle;
  const schemas = schemasOf(file, bundle);
  return {
    origin: file,
    kind: 'bundle',
    revision: revisionOf(bundle, text),
    datafiles,
    unreadable: new Set(problems.map(({ file: path }) => path.slice('data'.length))),
    ...(isJson(resources) ? { resources: new Set(Object.keys(resources)) } : {}),
    echelonFiles: readEchelonFiles(isJson(resources) ? resources : {}),
    env: new Map(),
    ...defined({ schemas }),
    problems,
    text: () => undefined,
  };
}

function readEchelonFiles(resources: Json): Map<string, string> {
  return new Map(
    ECHELON_FILES.flatMap((path) => {
      const resource = Object.hasOwn(resources, path) ? resources[path] : undefined;
      const content = isJson(resource) ? resource['content'] : undefined;
      return typeof content === 'string' ? [[path, content] as const] : [];
    }),
  );
}

function parseBundle(file: string, text: string): Json {
  const bundle = parseJson(file, text);
  if (isJson(bundle) && isJson(bundle['data'])) return bundle;
  throw new EchelonError({
    code: 'BUNDLE_INVALID',
    message: `${file} is not a bundle: it has no object "data"`,
    hint: 'pass the JSON file that the bundler wrote, or the root of a data repository',
  });
}

/** Schemas are compiled by a recursive library. */
function schemasOf(file: string, { schemas }: Json): Map<string, unknown> | undefined {
  if (!isJson(schemas)) return undefined;
  const deep = Object.keys(schemas).find((path) => isDeeperThan(schemas[path], MAX_NESTING));
  if (deep === undefined) return new Map(Object.entries(schemas));
  throw new EchelonError({
    code: 'BUNDLE_INVALID',
    message: `${file}: the schema ${deep} is nested deeper than ${MAX_NESTING} levels`,
    hint: 'reduce the nesting of that schema, or remove it from the bundle',
  });
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(withoutBom(text));
  } catch (thrown) {
    throw new EchelonError({
      code: 'BUNDLE_INVALID',
      message: `${file} is not JSON: ${jsonReason(messageOf(thrown))}`,
      hint: 'pass the JSON file that the bundler wrote, and check that it is complete',
      cause: thrown,
    });
  }
}

function datafilesOf(data: Json): { datafiles: Map<string, Datafile>; problems: Problem[] } {
  const datafiles = new Map<string, Datafile>();
  const problems: Problem[] = [];
  for (const path of Object.keys(data).sort()) {
    const given = data[path];
    const content = isDeeperThan(given, MAX_NESTING) ? TOO_DEEP : withoutBundlerKeys(given);
    if (content === TOO_DEEP) problems.push({ ...TOO_DEEP, file: fileOf(path) });
    else if (isJson(content)) datafiles.set(path, datafile(path, content));
    else problems.push({ ...NOT_A_MAPPING, file: fileOf(path) });
  }
  return { datafiles, problems };
}

const NOT_A_MAPPING = {
  rule: 'not-a-mapping',
  severity: 'error',
  message: 'the datafile is not a mapping',
  hint: 'a datafile is a mapping that begins with $schema',
} as const;

const TOO_DEEP = {
  rule: 'too-deep',
  severity: 'error',
  message: `the datafile is nested deeper than ${MAX_NESTING} levels`,
  hint: 'reduce the nesting',
} as const;

/** Removes what the bundler adds to the data: the checksum of the file and the identity of list items. */
function withoutBundlerKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBundlerKeys);
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '$file_sha256sum' && key !== '__identifier')
      .map(([key, child]) => [key, withoutBundlerKeys(child)]),
  );
}

function revisionOf(bundle: Json, text: string): Revision {
  const sha256 = hash('sha256', text);
  const commit = bundle['git_commit'];
  return { id: sha256.slice(0, 12), sha256, ...(typeof commit === 'string' && commit !== '' ? { commit } : {}) };
}
