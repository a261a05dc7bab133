import { defined, EchelonError } from '../../../base/index.ts';
import { openForge } from '../../../clients/forge/index.ts';
import { type CheckReport, checkMarkdown } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import type { Compared } from './compared.ts';
import type { PrCheckFlags } from './flags.ts';
import type { LoadedSides } from './sides.ts';

/** By which the comment of an earlier check is found again. */
const MARKER = 'echelon-pr-check';

/** Writes the report to the merge request that `--comment` names, in the place of an earlier one. */
export async function postComment(
  io: Io,
  flags: PrCheckFlags,
  { repository }: Compared,
  { base }: LoadedSides,
  report: CheckReport,
): Promise<void> {
  if (flags.comment === undefined) return;
  // The change itself must not say where the token goes.
  const url = flags.repository ?? (await repository.remoteUrl(flags.remote)) ?? base.instance.settings?.repoUrl;
  if (url === undefined) throw noForge(flags.remote);
  for (const name of ['GITHUB_TOKEN', 'GITLAB_TOKEN']) io.onSecret?.(io.env[name] ?? '');
  const forge = await openForge(url, {
    env: io.env,
    readOnly: false,
    ...defined({ kind: flags.forge, api: flags.forgeApi }),
  });
  const { updated } = await forge.comment(flags.comment, MARKER, checkMarkdown(report));
  io.stderr.write(`the comment on merge request ${flags.comment} is ${updated ? 'updated' : 'written'}\n`);
}

function noForge(remote: string): EchelonError {
  return new EchelonError({
    code: 'FORGE_UNKNOWN',
    message: `there is no remote ${remote} whose merge request could have a comment`,
    hint: 'name the address of the repository with --repository',
  });
}
