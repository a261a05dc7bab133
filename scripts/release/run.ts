import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export const REPO: string = join(import.meta.dirname, '../..');
const MAX_OUTPUT = 64 * 1024 * 1024;
const LINES_IN_ERROR = 5;

/** What a program prints; the end of what it wrote to standard error is in the error when it fails. */
export function run(program: string, args: readonly string[], cwd: string = REPO): string {
  try {
    return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: 'pipe', maxBuffer: MAX_OUTPUT });
  } catch (thrown) {
    const { code, stderr = '' } = thrown as { code?: string; stderr?: string };
    const last = stderr.trim().split('\n').slice(-LINES_IN_ERROR).join('\n');
    const why = code === 'ENOENT' ? `no ${program} in PATH` : last;
    throw new Error(`${[program, ...args].slice(0, 2).join(' ')}: ${why}`);
  }
}

/** Packs a folder so that the same files give the same bytes: sorted, of one time, owned by root. */
export function packFolder(archive: string, folder: string, sourceDate: number): void {
  const same = ['--sort=name', `--mtime=@${sourceDate}`, '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  run('tar', ['--create', '--file', archive, '--directory', folder, ...same, ...readdirSync(folder).sort()]);
}

/** Whatever umask it was written with, others may read it, and only its owner may write. */
export function readableByAll(folder: string): void {
  run('chmod', ['-R', 'u=rwX,go=rX', folder]);
}

/** Packs a `.tgz` again, so that it depends neither on the time nor on the umask of who packed it. */
export function repack(from: string, to: string, scratch: string, sourceDate: number): void {
  const folder = join(scratch, 'repack');
  mkdirSync(folder);
  run('tar', ['--extract', '--file', from, '--directory', folder]);
  readableByAll(folder);
  const archive = join(scratch, 'repack.tar');
  packFolder(archive, folder, sourceDate);
  writeFileSync(to, gzipSync(readFileSync(archive), { level: 9 }));
  for (const used of [folder, archive]) rmSync(used, { recursive: true });
}
