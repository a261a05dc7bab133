import { resolve } from 'node:path';
import { defined, EchelonError } from '../../../base/index.ts';
import { chooseTargets, chooseUpstream, type Upstream, valuesBefore } from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { applyPlan, type PromoteApplyFlags } from './apply.ts';
import { withTree } from './base.ts';
import { lastPromotion } from './local-git.ts';
import { type Instead, type PromoteFlags, planFor } from './make.ts';
import { type MrFlags, mr } from './mr.ts';
import { planPrinter } from './output.ts';
import { openUpstream } from './upstream.ts';
import {
  instanceFolder,
  missingConfig,
  openWorkingTree,
  readConfig,
  repositoryOf,
  type Workspace,
} from './workspace.ts';

const DEFAULT_HASH_LENGTH = 7;

/** Shows, writes or requests the inverse of the last promotion. */
export async function rollback(
  io: Io,
  verb: 'plan' | 'apply' | 'mr',
  flags: MrFlags & PromoteApplyFlags,
): Promise<number> {
  const folder = instanceFolder(io, flags);
  if (verb === 'mr')
    return mr(io, flags, (workspace, commit) => earlier(io, flags, { folder, workspace, ref: commit }));
  const print = planPrinter(io, flags, `promote rollback ${verb}`);
  const { workspace, config } = await openWorkingTree(io, folder);
  const found = await earlier(io, flags, { folder, workspace, ref: 'HEAD' });
  const plan = await planFor(io, found.flags, workspace, config, { instead: found.instead });
  if (verb === 'apply') return applyPlan(io, flags, folder, plan, print);
  await print(plan);
  return flags.detailedExitcode === true && plan.files.length > 0 ? EXIT.changes : EXIT.ok;
}

interface Where {
  readonly folder: string;
  readonly workspace: Workspace;
  readonly ref: string;
}

/** What the targets of the last promotion were before it. */
async function earlier(
  io: Io,
  flags: PromoteFlags,
  { folder, workspace, ref }: Where,
): Promise<{ readonly instead: Instead; readonly flags: PromoteFlags }> {
  const config = readConfig(workspace.root) ?? readConfig(folder);
  if (config === undefined) throw missingConfig();
  const upstream = chooseUpstream(config, flags.upstream);
  const last = await lastPromotion(folder, upstream, ref);
  if (last === undefined) throw nothingToUndo(upstream);
  const targets = chooseTargets(config, { upstream, only: flags.only ?? [], except: flags.except ?? [] }).filter(
    ({ name }) => last.metadata.targets.includes(name),
  );
  const { repository, prefix } = await repositoryOf(folder);
  const hashLength = workspace.instance.settings?.hashLength ?? DEFAULT_HASH_LENGTH;
  const found = await withTree(io, repository, { commit: `${last.commit}^`, prefix }, async (tree) =>
    valuesBefore(targets, tree, hashLength),
  );
  const commit = await wholeCommit(io, flags, config.upstreams[upstream] as Upstream, found.commit);
  return {
    instead: { commit, scope: flags.only ?? [], valueFor: found.valueFor },
    flags: { ...flags, upstream, only: targets.map(({ name }) => name) },
  };
}

async function wholeCommit(io: Io, flags: PromoteFlags, upstream: Upstream, commit: string): Promise<string> {
  if (/^[0-9a-f]{40}$/.test(commit)) return commit;
  const history = await openUpstream(io, upstream, {
    ...(flags.upstreamClone === undefined ? {} : { clone: resolve(io.cwd, flags.upstreamClone) }),
    ...defined({ offline: flags.offline }),
  });
  return history.resolve(commit);
}

function nothingToUndo(upstream: string): EchelonError {
  return new EchelonError({
    code: 'PROMOTION_UNKNOWN',
    message: `no commit of this branch says that it promoted ${upstream}`,
    hint: 'promote an older commit instead: echelon promote plan --to COMMIT --allow-rollback',
  });
}
