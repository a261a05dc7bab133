import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { load, Schema, timestampTag, YAML11_SCHEMA, YAMLException } from 'js-yaml';

type Mapping = Record<string, unknown>;

export interface BundleResource {
  path: string;
  content: string;
  $schema: string | null;
  sha256sum: string;
  backrefs: unknown[];
}

export interface Bundle {
  data: Record<string, Mapping>;
  resources: Record<string, BundleResource>;
  schemas: Record<string, Mapping>;
  graphql: unknown;
  git_commit: string;
  git_commit_timestamp: string;
}

export interface BundleOptions {
  /** Default: `root/schemas`; no schemas when that is absent. */
  schemasDir?: string;
  /** Default: `root/graphql-schemas/schema.yml`; no confs when that is absent. */
  graphqlFile?: string;
  gitCommit?: string;
  gitCommitTimestamp?: string;
}

/** JSON has no date, so a plain date stays the text that was written. */
const BUNDLE_YAML = new Schema(YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag));
const PARSED_EXTENSIONS = new Set(['.yml', '.yaml', '.json']);
const RESOURCE_SCHEMA = /^\$schema: (\S+\.ya?ml)\s*$/m;

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The bundle of a data repository, as the instance's bundler writes it but for back references and `__identifier`. */
export function buildBundle(root: string, options: BundleOptions = {}): Bundle {
  return {
    data: mapFiles(join(root, 'data'), isParsed, readDatafile),
    resources: mapFiles(join(root, 'resources'), () => true, readResource),
    schemas: mapFiles(options.schemasDir ?? join(root, 'schemas'), isParsed, readSchema),
    graphql: readConfs(options.graphqlFile ?? join(root, 'graphql-schemas', 'schema.yml')),
    git_commit: options.gitCommit ?? '0'.repeat(40),
    git_commit_timestamp: options.gitCommitTimestamp ?? '0',
  };
}

/** The bundle's serialized form, whose sha256 is its identity. */
export function bundleText(bundle: Bundle): string {
  const escaped = encode(bundle).replace(/[^ -~]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `${escaped}\n`;
}

/** Written out by hand because a rebuilt object would list integer-like keys first, whatever the sort. */
function encode(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(encode).join(',')}]`;
  if (!isMapping(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${encode(value[key])}`);
  return `{${members.join(',')}}`;
}

function mapFiles<T>(
  dir: string,
  accepts: (path: string) => boolean,
  read: (file: string, path: string) => T,
): Record<string, T> {
  const paths = walk(dir, '').filter(accepts);
  return Object.fromEntries(paths.map((path) => [path, read(join(dir, path), path)]));
}

function walk(dir: string, prefix: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const path = `${prefix}/${entry.name}`;
      return entry.isDirectory() ? walk(join(dir, entry.name), path) : [path];
    })
    .sort();
}

function readDatafile(file: string): Mapping {
  return { ...parseMapping(file), $file_sha256sum: sha256(readFileSync(file)) };
}

/** Schemas of datafiles gain the injected property, so that `additionalProperties: false` still passes. */
function readSchema(file: string): Mapping {
  const schema = parseMapping(file);
  if (schema.$schema !== '/metaschema-1.json') return schema;
  const properties = isMapping(schema.properties) ? schema.properties : {};
  return { ...schema, properties: { ...properties, $file_sha256sum: { type: 'string' } } };
}

function readResource(file: string, path: string): BundleResource {
  const bytes = readFileSync(file);
  const content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const $schema = /\.ya?ml$/.test(path) ? (RESOURCE_SCHEMA.exec(content)?.[1] ?? null) : null;
  return { path, content, $schema, sha256sum: sha256(bytes), backrefs: [] };
}

function readConfs(file: string): unknown {
  return existsSync(file) ? parse(file) : { $schema: '/app-interface/graphql-schemas-1.yml', confs: [] };
}

function parseMapping(file: string): Mapping {
  const value = parse(file);
  if (!isMapping(value)) throw new Error(`${file}: not a mapping`);
  return value;
}

function parse(file: string): unknown {
  const text = readFileSync(file, 'utf8');
  return extname(file) === '.json' ? JSON.parse(text) : parseYaml(text, file);
}

/**
 * The bundler's parser takes flow collections however they are indented, and published schemas rely on it, while
 * js-yaml wants them deeper than their key. Leading spaces mean nothing in there, so such a line is given more.
 */
function parseYaml(text: string, filename: string): unknown {
  try {
    return load(text, { schema: BUNDLE_YAML, filename });
  } catch (error) {
    const line = error instanceof YAMLException && error.reason === 'deficient indentation' && error.mark?.line;
    if (typeof line !== 'number') throw error;
    return parseYaml(
      text
        .split('\n')
        .with(line, ` ${text.split('\n')[line]}`)
        .join('\n'),
      filename,
    );
  }
}

function isParsed(path: string): boolean {
  return PARSED_EXTENSIONS.has(extname(path));
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
