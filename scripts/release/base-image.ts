import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from './assemble.ts';
import { packFolder, readableByAll, run } from './run.ts';

/** What the published base consists of, as far as Node and helm need it: C and C++ libraries, CA certificates, time zones. */
export const BASE_PACKAGES = ['base-files', 'ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6', 'netbase', 'tzdata'];

const PASSWD = ['root:x:0:0:root:/root:/sbin/nologin', 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin'];
const GROUP = ['root:x:0:', 'nonroot:x:65532:'];
/** No file of a package is newer than what it is packed as. */
const EPOCH = 0;

/** Downloads packages of the Debian release that this machine runs, with package lists of their own, and unpacks them. */
export function unpackPackages(root: string, packages: readonly string[], scratch: string): void {
  const [lists, cache, debs] = ['lists', 'cache', 'debs'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [root, debs, join(lists, 'partial'), join(cache, 'archives/partial')])
    mkdirSync(folder, { recursive: true });
  const apt = ['-q', '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`, '-o', 'APT::Sandbox::User=root'];
  run('apt-get', [...apt, 'update']);
  run('apt-get', [...apt, 'download', ...packages], debs);
  const status = join(root, 'var/lib/dpkg/status.d');
  for (const deb of readdirSync(debs).sort()) {
    run('dpkg-deb', ['--extract', join(debs, deb), root]);
    // Where scanners look for what an image without dpkg consists of.
    mkdirSync(status, { recursive: true });
    writeFileSync(join(status, deb.replace(/_.*/, '')), run('dpkg-deb', ['--field', join(debs, deb)]));
  }
}

/** Packs the file system of a base image: the packages, without their maintainer scripts, and a user who is nobody. */
export function packBase(archive: string): void {
  const scratch = mkdtempSync(join(tmpdir(), 'echelon-base-'));
  try {
    const root = join(scratch, 'root');
    unpackPackages(root, BASE_PACKAGES, scratch);
    const certificates = join(root, 'usr/share/ca-certificates/mozilla');
    const bundle = readdirSync(certificates)
      .sort()
      .map((name) => readFileSync(join(certificates, name), 'utf8'));
    writeFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), bundle.join(''));
    writeFileSync(join(root, 'etc/passwd'), `${PASSWD.join('\n')}\n`);
    writeFileSync(join(root, 'etc/group'), `${GROUP.join('\n')}\n`);
    readableByAll(root);
    run('chmod', ['1777', join(root, 'tmp'), join(root, 'var/tmp')]);
    packFolder(archive, root, EPOCH);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

export function importBase(archive: string, name: string): void {
  run('podman', ['import', '--quiet', archive, name]);
}

/** `make base-image`: leaves a base image with podman, for machines that reach Debian's packages and no registry. */
if (import.meta.main) {
  await main(async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'echelon-base-'));
    const name = 'localhost/echelon-base';
    try {
      packBase(join(scratch, 'base.tar'));
      importBase(join(scratch, 'base.tar'), name);
      console.log(name);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });
}
