import { type Stats, statSync } from 'node:fs';
import { EchelonError } from '../../base/index.ts';
import type { InstanceSource } from '../snapshot.ts';
import { directorySource, type WorkingTree } from './directory.ts';
import type { QontractApi } from './server.ts';

/** The ports that the sources need. */
export interface SourceParts {
  readonly workingTree: WorkingTree;
  readonly server: (url: string) => QontractApi;
}

/** The source for a name: a URL is a qontract-server, a file is a bundle, a folder is a data repository. */
export function openInstance(name: string, parts: SourceParts): InstanceSource {
  if (/^https?:\/\//i.test(name)) {
    const api = parts.server(name);
    return loadedLater(api.name, async () => (await import('./server.ts')).serverSource(api));
  }
  const found = look(name);
  if (found?.isDirectory()) return directorySource(name, parts.workingTree);
  if (found?.isFile()) return loadedLater(name, async () => (await import('./bundle.ts')).bundleSource(name));
  throw new EchelonError({
    code: 'INSTANCE_NOT_FOUND',
    message: `${withoutLogin(name)} ${found === undefined ? 'does not exist' : 'is neither a folder nor a file'}`,
    hint: 'pass the root of a data repository, a bundle file or a qontract-server URL with --data or ECHELON_DATA',
  });
}

/** A source whose code is loaded only when it is read: most instances are folders. */
function loadedLater(origin: string, open: () => Promise<InstanceSource>): InstanceSource {
  return {
    origin,
    load: async (options) => (await open()).load(options),
    currentRevision: async () => (await open()).currentRevision(),
  };
}

/** A name that cannot be read, such as a link to itself or an invalid file name, counts as missing. */
function look(name: string): Stats | undefined {
  try {
    return statSync(name, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A mistyped URL may contain a password. */
function withoutLogin(name: string): string {
  return name.replace(/\/\/[^/@]*@/, '//');
}
