import { type Stats, statSync } from 'node:fs';
import { EchelonError } from '../../base/index.ts';
import { bundleSource } from './bundle.ts';
import { directorySource, type WorkingTree } from './directory.ts';
import type { InstanceSource } from './instance-source.ts';
import { type QontractApi, serverSource } from './server.ts';

/** What the sources need of the outside world. */
export interface SourceParts {
  readonly workingTree: WorkingTree;
  readonly server: (url: string) => QontractApi;
}

/** The source that a name stands for: a URL is a qontract-server, a file is a bundle, a folder is a data repository. */
export function openInstance(name: string, parts: SourceParts): InstanceSource {
  if (/^https?:\/\//i.test(name)) return serverSource(parts.server(name));
  const found = look(name);
  if (found?.isDirectory()) return directorySource(name, parts.workingTree);
  if (found?.isFile()) return bundleSource(name);
  throw new EchelonError({
    code: 'INSTANCE_NOT_FOUND',
    message: `${withoutLogin(name)} ${found === undefined ? 'does not exist' : 'is neither a folder nor a file'}`,
    hint: 'name the root of a data repository, a bundle file or the URL of a qontract-server with --data or ECHELON_DATA',
  });
}

/** What cannot be looked at, such as a link to itself or a name that no file may have, is not there. */
function look(name: string): Stats | undefined {
  try {
    return statSync(name, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A mistyped URL may hold a password. */
function withoutLogin(name: string): string {
  return name.replace(/\/\/[^/@]*@/, '//');
}
