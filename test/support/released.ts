import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPO } from './shared.ts';

export interface ReleaseOptions {
  /** Where the sources are copied to. */
  readonly folder: string;
  readonly umask: string;
  /** With podman. */
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Does what `make release` does, on a copy of the sources, and returns the folder of what it made. */
export function released({ folder, umask, bin, env }: ReleaseOptions): string {
  mkdirSync(folder, { recursive: true });
  const files = 'git ls-files -z --cached --others --exclude-standard';
  const copy = `umask ${umask}; ${files} | tar -c --null -T - --ignore-failed-read | tar -x --no-same-permissions -C '${folder}'`;
  execFileSync('sh', ['-c', copy], { cwd: REPO, stdio: 'pipe' });
  symlinkSync(join(REPO, 'node_modules'), join(folder, 'node_modules'));
  execFileSync('sh', ['-c', `umask ${umask}; exec npm run --silent release`], {
    ...{ cwd: folder, stdio: 'pipe', encoding: 'utf8' },
    env: { ...process.env, ...env, PATH: [bin, dirname(process.execPath), process.env['PATH']].join(':') },
  });
  return join(folder, 'dist/release');
}
