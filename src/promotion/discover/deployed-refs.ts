import { isJson, type Json } from '../../base/index.ts';
import type { KeyPath, Snapshot } from '../../instance/index.ts';
import { sameRepository } from './known-keys.ts';

/** A lookup key for a value in a file. */
export function placeId(file: string, keys: KeyPath): string {
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
      return [own === undefined ? placeId(path, [...keys, 'ref']) : placeId(own.path, ['ref'])];
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
