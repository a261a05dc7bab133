import { EchelonError } from '../../base/index.ts';
import { checkMarkdown } from '../pr-check/markdown.ts';
import type { CheckReport } from '../pr-check/report.ts';
import type { PrCheckPorts } from './check-ports.ts';
import type { CommentRequest } from './check-requests.ts';
import type { InstanceRepository } from './git-port.ts';

/** By which the comment of an earlier check is found again. */
const MARKER = 'echelon-pr-check';

/** A report, and the repository that it is of. */
export interface CheckedChange {
  readonly report: CheckReport;
  readonly repository: InstanceRepository;
  /** As the instance at the base names its repository. */
  readonly baseRepoUrl: string | undefined;
}

/** Writes the report to a merge request, in the place of an earlier one. */
export async function commentOn(
  { forge: forges }: Pick<PrCheckPorts, 'forge'>,
  { report, repository, baseRepoUrl }: CheckedChange,
  { number, repository: named, remote, forge: choice }: CommentRequest,
): Promise<{ readonly updated: boolean }> {
  // The change itself must not say where the token goes.
  const url = named ?? (await repository.remoteUrl(remote)) ?? baseRepoUrl;
  if (url === undefined) throw noForge(remote);
  const forge = await forges.open(url, { ...choice, readOnly: false, namedBy: 'operator' });
  return forge.comment(number, MARKER, checkMarkdown(report));
}

function noForge(remote: string): EchelonError {
  return new EchelonError({
    code: 'FORGE_UNKNOWN',
    message: `there is no remote ${remote} whose merge request could have a comment`,
    hint: 'name the address of the repository with --repository',
  });
}
