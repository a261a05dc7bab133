import { isJson } from '../base/index.ts';
import type { Problem } from './problem.ts';

/** One parsed datafile. Other files refer to it by its path. */
export interface Datafile {
  /** Below `data/`, with a leading slash: `/aws/prod/account.yml`. */
  readonly path: string;
  /** Its `$schema`; absent when the file has none. */
  readonly schema?: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** The state of an instance that was read; equal ids mean equal data. */
export interface Revision {
  /** For messages and logs: `3f2a1bc`, `3f2a1bc+dirty.9c1d22e0`, or the start of a bundle's sha. */
  readonly id: string;
  /** SHA-256 of a bundle's text, or of the content of a directory. */
  readonly sha256: string;
  readonly commit?: string;
  /** The working tree differs from the commit. */
  readonly dirty?: boolean;
}

/** The revision that `currentRevision` of the source returns while the data is unchanged. */
export function revisionKey({ commit, dirty, sha256 }: Revision): string {
  return commit !== undefined && dirty === false ? commit : sha256;
}

/** The data of one state of an instance. Immutable. */
export interface Snapshot {
  /** The source as given by the user. */
  readonly origin: string;
  readonly kind: 'directory' | 'bundle' | 'server';
  readonly revision: Revision;
  /** Datafiles by path, in the order of their paths. */
  readonly datafiles: ReadonlyMap<string, Datafile>;
  /** Datafiles that exist but cannot be read: a reference to one is not dangling. */
  readonly unreadable: ReadonlySet<string>;
  /** Paths below `resources/`; absent when the source does not list them. */
  readonly resources?: ReadonlySet<string>;
  /** The texts of Echelon's own files below `resources/`, by path: those of `ECHELON_FILES` that exist. */
  readonly echelonFiles: ReadonlyMap<string, string>;
  /** The pinned tool versions of `.env`; empty where the source has none. */
  readonly env: ReadonlyMap<string, string>;
  /** JSON schemas that came with the data. */
  readonly schemas?: ReadonlyMap<string, unknown>;
  /** The sharding strategies whose overrides the source gives without `subSharding`; none when absent. */
  readonly strategiesWithoutSubSharding?: ReadonlySet<string>;
  /** Datafiles that the source lists but does not give, with their schemas; only after a load that asked for them. */
  readonly unservedDatafiles?: ReadonlyMap<string, string>;
  /** Problems found while reading. */
  readonly problems: readonly Problem[];
  /** The text of a datafile, where the source keeps texts and the file has not changed since. */
  readonly text: (path: string) => string | undefined;
}

export interface LoadOptions {
  /** Called with the current step, for the progress line of a terminal. */
  readonly onProgress?: (done: string) => void;
  readonly signal?: AbortSignal;
  /** Also list the datafiles that the source does not give. */
  readonly inventory?: boolean;
}

/** A source of an instance. Each `load` reads one consistent state. */
export interface InstanceSource {
  /** The name of the source, as given by the user. */
  readonly origin: string;
  load(options?: LoadOptions): Promise<Snapshot>;
  /**
   * The state that a load would read, where that is known without reading it: the commit of a clean working tree, the
   * SHA-256 of a server's newest bundle. Compare it with `revisionKey` of the snapshot.
   */
  currentRevision(): Promise<string | undefined>;
}

/** Files that Echelon reads from `resources/`: part of every source, and left alone by existing validators. */
export const ECHELON_FILES: readonly string[] = [
  '/echelon/manager.yml',
  '/echelon/rollouts.yml',
  '/echelon/shadow.yml',
];

/** The path of a datafile below the root of its instance. */
export function fileOf(path: string): string {
  return `data${path}`;
}

/** The datafiles with a schema, ordered by path. */
export function bySchema({ datafiles }: Snapshot, schema: string): readonly Datafile[] {
  return [...datafiles.values()].filter((file) => file.schema === schema);
}

/** The path of a pure reference, `{ $ref: "/path" }`; undefined for anything else. */
export function refPath(value: unknown): string | undefined {
  if (!isJson(value)) return undefined;
  const ref = value['$ref'];
  return typeof ref === 'string' ? ref : undefined;
}

/** A datafile with the schema from its content. */
export function datafile(path: string, content: Readonly<Record<string, unknown>>): Datafile {
  const schema = content['$schema'];
  return typeof schema === 'string' ? { path, schema, content } : { path, content };
}

/** Paths below the root of a data repository that an instance is read from. */
export const INSTANCE_PATHS: readonly string[] = ['data', 'resources', '.env'];
