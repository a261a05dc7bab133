import { EchelonError, isJson, type Json } from '../../base/index.ts';
import type { KeyPath, Snapshot } from '../../instance/index.ts';
import type { Sources } from '../targets/find-targets.ts';

/** Key names that hold a version of an upstream, except those whose meaning depends on their place. */
export function knownKeys(upstream: { readonly name: string; readonly url?: string }): readonly string[] {
  const snake = repositoryName(upstream.url ?? upstream.name).replaceAll(/[^A-Za-z0-9]+/g, '_');
  const prefix = upstream.name.replaceAll('-', '_').toUpperCase();
  const keys = [`${prefix}_IMAGE_TAG`, `${snake.toLowerCase()}_image_tag`, `${snake.toUpperCase()}_IMAGE_TAG`];
  return [...new Set(snake === 'qontract_reconcile' ? [...keys, 'QR_IMAGE_TAG'] : keys)];
}

/** `qontract-reconcile` of `https://github.com/app-sre/qontract-reconcile.git`. */
export function repositoryName(url: string): string {
  return /([^/:]+?)(?:\.git)?\/*$/.exec(url)?.[1] ?? url;
}

/** The name of its repository, or its own where it has none. */
export function upstreamTitle({ name, url }: { readonly name: string; readonly url?: string }): string {
  return url === undefined ? name : repositoryName(url);
}

/** Whether two URLs refer to the same repository. */
export function sameRepository(a: string, b: string | undefined): boolean {
  if (b === undefined) return false;
  const plain = (url: string): string => url.replace(/(?:\.git)?\/*$/, '').toLowerCase();
  return plain(a) === plain(b);
}

/** A lookup key for a value in a file. */
export function locationId(file: string, keys: KeyPath): string {
  return JSON.stringify([file, keys]);
}

/**
 * Where saas files set the upstream commit that they deploy, including targets in their own files. Targets that are
 * promoted automatically by a subscription are left out.
 */
export function deployedRefs({ datafiles }: Pick<Snapshot, 'datafiles'>, url: string | undefined): ReadonlySet<string> {
  const targets = [...datafiles.values()].flatMap(({ path, content }) => targetsIn(path, content, url));
  return new Set(
    targets.flatMap(({ path, keys, target }) => {
      const own = ownFile(datafiles, target);
      if (isAutoPromoted(own?.content ?? target)) return [];
      return [own === undefined ? locationId(path, [...keys, 'ref']) : locationId(own.path, ['ref'])];
    }),
  );
}

interface TargetAt {
  readonly path: string;
  readonly keys: KeyPath;
  readonly target: unknown;
}

function targetsIn(path: string, content: Json, url: string | undefined): TargetAt[] {
  return listOf(content['resourceTemplates']).flatMap((template, index) => {
    if (!isJson(template) || !sameRepository(String(template['url']), url)) return [];
    return listOf(template['targets']).map((target, at) => ({
      path,
      keys: ['resourceTemplates', index, 'targets', at],
      target,
    }));
  });
}

function ownFile(datafiles: Snapshot['datafiles'], target: unknown): { path: string; content: Json } | undefined {
  const ref = isJson(target) ? target['$ref'] : undefined;
  return typeof ref === 'string' ? datafiles.get(ref) : undefined;
}

function isAutoPromoted(target: unknown): boolean {
  const promotion = isJson(target) ? target['promotion'] : undefined;
  return isJson(promotion) && promotion['auto'] === true;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const MAX_RESOURCE_BYTES = 1024 * 1024;

/** `key: value` lines whose value is a literal, not a template expression. */
export function literals(
  bytes: Uint8Array | undefined,
  keys: readonly string[],
): { readonly key: string; readonly value: string; readonly line: number }[] {
  if (bytes === undefined || bytes.byteLength > MAX_RESOURCE_BYTES) return [];
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  return lines.flatMap((text, index) => {
    const found = /^\s*(?:- +)*(?:export +)?([\w.-]+)(?::\s+|=)(["']?)([\w.-]+)\2\s*(?:#.*)?$/.exec(text);
    const [, key = '', , value = ''] = found ?? [];
    return keys.includes(key) ? [{ key, value, line: index + 1 }] : [];
  });
}

/** The bytes of a file for discovery: skips links, which a promotion would reject. */
export function unlessLink(read: Sources['read'], file: string): Uint8Array | undefined {
  try {
    return read(file);
  } catch (thrown) {
    if (thrown instanceof EchelonError && thrown.code === 'TARGET_LINK') return undefined;
    throw thrown;
  }
}
