import type { Io } from '../../io.ts';

/** Whatever a forge says, its token is not shown. */
export function tellSecrets(io: Io): void {
  for (const name of ['GITHUB_TOKEN', 'GITLAB_TOKEN']) {
    const secret = io.env[name];
    if (secret) io.onSecret?.(secret);
  }
}
