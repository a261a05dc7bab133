import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { EchelonError, humanBytes, isJson, type Json, messageOf } from '../../base/index.ts';
import { jsonReason, withoutBom } from '../parse-datafile.ts';
import type { Problem } from '../problem.ts';
import { type Datafile, fileOf, type Revision, type Snapshot } from '../snapshot.ts';
import { datafile } from './datafile.ts';
import type { InstanceSource } from './instance-source.ts';

/** Slightly below the longest string of Node. */
export const MAX_BUNDLE_BYTES = 500 * 1024 * 1024;

/** An instance as the single JSON document that the existing bundler writes. */
export function bundleSource(file: string): InstanceSource {
  return {
    origin: file,
    glimpse: async () => undefined,
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
  const { resources, schemas } = bundle;
  return {
    origin: file,
    kind: 'bundle',
    revision: revisionOf(bundle, text),
    datafiles,
    unreadable: new Set(problems.map(({ file: path }) => path.slice('data'.length))),
    ...(isJson(resources) ? { resources: new Set(Object.keys(resources)) } : {}),
    env: new Map(),
    ...(isJson(schemas) ? { schemas: new Map(Object.entries(schemas)) } : {}),
    problems,
    text: () => undefined,
  };
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
    const content = withoutBundlerKeys(data[path]);
    if (isJson(content)) datafiles.set(path, datafile(path, content));
    else {
      problems.push({
        rule: 'not-a-mapping',
        severity: 'error',
        file: fileOf(path),
        message: 'the datafile is not a mapping',
        hint: 'a datafile is a mapping that begins with $schema',
      });
    }
  }
  return { datafiles, problems };
}

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
