import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packBase, unpackPackages } from '../../scripts/release/base-image.ts';
import { cacheFolder } from './real-kube-build.ts';
import { withLock } from './real-kube-lock.ts';
import { REPO } from './shared.ts';

export interface DebianBase {
  /** An archive of the file system of a base image. */
  readonly archive: string;
  /** A folder with the program that holds a pod of podman, which is a package of its own. */
  readonly helpers: string;
}

const LOCK_TIMEOUT_SECONDS = 300;

/** Made of Debian packages once and kept outside the checkout. Needs apt, and says so where it is missing. */
export async function debianBase(): Promise<DebianBase | string> {
  const folder = join(cacheFolder(), `base-${hash()}`);
  const base = { archive: join(folder, 'parts/base.tar'), helpers: join(folder, 'parts/helpers/usr/bin') };
  try {
    await withLock(join(folder, 'lock'), LOCK_TIMEOUT_SECONDS, async () => {
      if (!existsSync(join(folder, 'parts'))) make(folder);
    });
    return base;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

function hash(): string {
  const script = readFileSync(join(REPO, 'scripts/release/base-image.ts'), 'utf8');
  const system = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return createHash('sha256').update([script, system, process.arch].join('\n')).digest('hex').slice(0, 16);
}

/** Made under another name and moved into place, so that one that is killed leaves no half a base. */
function make(folder: string): void {
  const [unfinished, scratch] = [join(folder, 'unfinished'), mkdtempSync(join(tmpdir(), 'echelon-helpers-'))];
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  try {
    unpackPackages(join(unfinished, 'helpers'), ['catatonit'], scratch);
    packBase(join(unfinished, 'base.tar'));
    renameSync(unfinished, join(folder, 'parts'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
