import { type Stats, statSync } from 'node:fs';
import { EchelonError } from '../../base/index.ts';
import { bundleSource } from './bundle.ts';
import { directorySource, type WorkingTree } from './directory.ts';
import type { InstanceSource } from './instance-source.ts';
import { type QontractApi, serverSource } from './server.ts';

/** The ports that the sources need. */
export interface SourceParts {
  readonly workingTree: WorkingTree;
  readonly server: (url: string) => QontractApi;
}

/** The source for a name: a URL is a qontract-server, a file is a bundle, a folder is a data repository. */
export function openInstance(name: string, parts: SourceParts): InstanceSource {
  if (/^https?:\/\//i.test(name)) return serverSource(parts.server(name));
  const found = look(name);
  if (found?.isDirectory()) return directorySource(name, parts.workingTree);
  if (found?.isFile()) return bundleSource(name);
  throw new EchelonError({
    code: 'INSTANCE_NOT_FOUND',
    message: `${withoutLogin(name)} ${found === undefined ? 'does not exist' : 'is neither a folder nor a file'}`,
    hint: 'pass the root of a data repository, a bundle file or a qontract-server URL with --data or ECHELON_DATA',
  });
}

/** What cannot be read, such as a link to itself or an invalid file name, counts as missing. */
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
