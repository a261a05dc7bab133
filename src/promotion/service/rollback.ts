import { defined, EchelonError } from '../../base/index.ts';
import { type PromotionMetadata, readMetadataLine } from '../plan/merge-request-text.ts';
import { planEdits, type ValueFor } from '../plan/plan-edits.ts';
import type { PlanRequest, PromotionPorts, Repository } from '../ports.ts';
import type { Sources, Version } from '../targets/find-targets.ts';
import { chooseTargets, chooseUpstream, missingConfig, type Target, type Upstream } from '../targets/promotion-file.ts';
import { hashLengthOf, openUpstream } from './upstream.ts';
import { readConfig, type Workspace, withTree } from './workspace.ts';

/** What to promote instead of the newest commit. */
export interface Instead {
  readonly commit: string;
  /** The scope that the user requested; the targets may be fewer. */
  readonly scope: readonly string[];
  readonly valueFor: ValueFor;
}

interface RollbackFrom {
  /** The folder to promote. */
  readonly folder: string;
  readonly workspace: Workspace;
  /** The ref whose history is searched. */
  readonly ref: string;
}

/** The targets' values before the last promotion. */
export async function rollbackOf(
  ports: PromotionPorts,
  request: PlanRequest,
  { folder, workspace, ref }: RollbackFrom,
): Promise<{ readonly instead: Instead; readonly request: PlanRequest }> {
  const config = readConfig(ports.files, workspace.root) ?? readConfig(ports.files, folder);
  if (config === undefined) throw missingConfig();
  const upstream = chooseUpstream(config, request.upstream);
  const { repository, prefix } = await ports.git.repositoryAt(folder);
  const last = await lastPromotion(repository, upstream, ref);
  if (last === undefined) throw nothingToUndo(upstream);
  const targets = chooseTargets(config, { upstream, only: request.only ?? [], except: request.except ?? [] }).filter(
    ({ name }) => last.metadata.targets.includes(name),
  );
  const hashLength = hashLengthOf(workspace.instance);
  const found = await withTree(ports, repository, { commit: `${last.commit}^`, prefix }, async (tree) =>
    valuesBefore(targets, tree, hashLength),
  );
  const commit = await wholeCommit(ports, request, config.upstreams[upstream] as Upstream, found.commit);
  return {
    instead: { commit, scope: request.only ?? [], valueFor: found.valueFor },
    request: { ...request, upstream, only: targets.map(({ name }) => name) },
  };
}

async function wholeCommit(
  ports: PromotionPorts,
  { upstreamClone: clone, offline }: PlanRequest,
  upstream: Upstream,
  commit: string,
): Promise<string> {
  if (/^[0-9a-f]{40}$/.test(commit)) return commit;
  const history = await openUpstream(ports, upstream, { ...defined({ clone, offline }) });
  return history.resolve(commit);
}

/** The newest commit up to and including a ref that promoted an upstream. */
async function lastPromotion(
  repository: Repository,
  upstream: string,
  ref: string,
): Promise<{ readonly commit: string; readonly metadata: PromotionMetadata } | undefined> {
  const found = await repository.newestSaying(ref, `^Echelon-Promotion: .*"upstream":"${upstream}"`);
  const metadata = found === undefined ? undefined : readMetadataLine(found.message);
  return found === undefined || metadata === undefined ? undefined : { commit: found.sha, metadata };
}

function nothingToUndo(upstream: string): EchelonError {
  return new EchelonError({
    code: 'PROMOTION_UNKNOWN',
    message: `no promotion of ${upstream} in the history of this branch`,
    hint: 'promote an older commit instead: echelon promote plan --to COMMIT --allow-rollback',
  });
}

interface ValuesBefore {
  /** The commit of most targets, as written in the files; the tag of the first where none has a commit. */
  readonly commit: string;
  readonly valueFor: ValueFor;
}

/** The targets' values in an earlier state of the files; a target missing there keeps its value. */
function valuesBefore(targets: readonly Target[], earlier: Sources, hashLength: number): ValuesBefore {
  const nothing: Version = { commit: '0'.repeat(40), hashLength, digest: `sha256:${'0'.repeat(64)}` };
  const optional = targets.map((target) => ({ ...target, required: false }));
  const { items } = planEdits(optional, earlier, nothing);
  const places = new Map(items.map((item) => [JSON.stringify([item.target, item.form, item.file, item.key]), item]));
  const queues = Map.groupBy(places.values(), ({ target, form }) => JSON.stringify([target, form]));
  const next = new Map<string, number>();
  const commits = items.map(({ old }) => old).filter((old) => /^[0-9a-f]{7,40}$/.test(old));
  return {
    commit: commits.toSorted((a, b) => b.length - a.length)[0] ?? items[0]?.old ?? '',
    valueFor: ({ name }, form) => {
      const id = JSON.stringify([name, form]);
      const index = next.get(id) ?? 0;
      next.set(id, index + 1);
      return queues.get(id)?.[index]?.old;
    },
  };
}
