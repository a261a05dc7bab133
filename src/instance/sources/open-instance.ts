import { statSync } from 'node:fs';
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
  const found = statSync(name, { throwIfNoEntry: false });
  if (found?.isDirectory()) return directorySource(name, parts.workingTree);
  if (found?.isFile()) return bundleSource(name);
  throw new EchelonError({
    code: 'INSTANCE_NOT_FOUND',
    message: `${name} does not exist`,
    hint: 'name the root of a data repository, a bundle file or the URL of a qontract-server with --data or ECHELON_DATA',
  });
}
