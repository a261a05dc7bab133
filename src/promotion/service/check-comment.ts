import { EchelonError } from '../../base/index.ts';
import type { Repository } from '../ports.ts';
import { checkMarkdown } from '../pr-check/markdown.ts';
import type { CheckReport } from '../pr-check/report.ts';
import type { PrCheckPorts } from './check-ports.ts';
import type { CommentRequest } from './check-requests.ts';

/** Identifies the comment of an earlier check. */
const MARKER = 'echelon-pr-check';

/** A report and its repository. */
export interface CheckedChange {
  readonly report: CheckReport;
  readonly repository: Repository;
  /** The repository URL in the instance settings at the base. */
  readonly baseRepoUrl: string | undefined;
}

/** Posts the report to a merge request, replacing an earlier one. */
export async function commentOn(
  { forge: forges }: Pick<PrCheckPorts, 'forge'>,
  { report, repository, baseRepoUrl }: CheckedChange,
  { number, repository: named, remote, forge: choice }: CommentRequest,
): Promise<{ readonly updated: boolean }> {
  // The change under check must not decide where the token is sent, nor may any other data of the instance.
  const ofOperator = named ?? (await repository.remoteUrl(remote));
  const url = ofOperator ?? baseRepoUrl;
  if (url === undefined) throw noForge(remote);
  const namedBy = ofOperator === undefined ? 'data' : 'operator';
  const forge = await forges.open(url, { ...choice, readOnly: false, namedBy });
  return forge.comment(number, MARKER, checkMarkdown(report));
}

function noForge(remote: string): EchelonError {
  return new EchelonError({
    code: 'FORGE_UNKNOWN',
    message: `no remote ${remote} to comment on a merge request`,
    hint: 'pass the repository URL with --repository',
  });
}
