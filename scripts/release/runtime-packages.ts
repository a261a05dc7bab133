export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface LockedPackage {
  /** Where the folder has another. */
  readonly name?: string;
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

export interface RuntimePackage {
  /** `node_modules/a/node_modules/b`. */
  readonly path: string;
  /** `name@version`. */
  readonly ref: string;
  /** Not installed on every platform. */
  readonly optional: boolean;
}

const FOLDERS = /^.*node_modules\//;

/** The packages that `npm ci --omit=dev` installs, by their path in the lock file. */
export function runtimePackages({ packages }: LockFile): RuntimePackage[] {
  return Object.entries(packages)
    .filter(([path, { dev = false }]) => path !== '' && !dev)
    .map(([path, { optional = false, version = '', name = path.replace(FOLDERS, '') }]) => ({
      ...{ path, ref: `${name}@${version}`, optional },
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}
