import { defined, EchelonError } from '../../../base/index.ts';
import { type Forge, openForge } from '../../../clients/forge/index.ts';
import type { Repository } from '../../../clients/git/index.ts';
import {
  type PromotionConfig,
  type PromotionPlan,
  promotionDescription,
  promotionTitle,
} from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { API_VERSION, document, isDocument } from '../../output/format.ts';
import { requireDigests } from './apply.ts';
import { type Base, baseOf, withTree } from './base.ts';
import { type Branch, branchName, commitMessage, commitPlan, pushBranch } from './branch.ts';
import { type Instead, type PromoteFlags, planFor } from './make.ts';
import { type Delivered, deliver } from './merge-request.ts';
import { planPrinter, unifiedDiff } from './output.ts';
import { requireClean } from './require-clean.ts';
import { tellSecrets } from './secrets.ts';
import { instanceFolder, readConfig, repositoryOf, type Workspace } from './workspace.ts';

export interface MrFlags extends PromoteFlags {
  readonly branch?: string;
  readonly targetBranch?: string;
  readonly label?: readonly string[];
  readonly remote: string;
  readonly forge?: 'gitlab' | 'github';
  readonly forgeUrl?: string;
  readonly forgeApi?: string;
  readonly push: boolean;
  readonly fromHead?: boolean;
  readonly dryRun?: boolean;
}

/** What another command wants to be promoted, found in the files of the base. */
export type FindInstead = (
  workspace: Workspace,
  commit: string,
) => Promise<{ readonly instead: Instead; readonly flags: PromoteFlags }>;

/** One branch, one commit, one merge request; the working tree stays as it is. */
export async function mr(io: Io, flags: MrFlags, find?: FindInstead): Promise<number> {
  const print = planPrinter(io, flags, 'promote mr');
  tellSecrets(io);
  const folder = instanceFolder(io, flags);
  const { repository, prefix } = await repositoryOf(folder);
  const local = readConfig(folder);
  const base = await baseOf(repository, flags, local?.targetBranch);
  return withTree(io, repository, { commit: base.commit, prefix }, async (workspace) => {
    const config = readConfig(workspace.root) ?? local;
    const found = await find?.(workspace, base.commit);
    const plan = await planFor(io, found?.flags ?? flags, workspace, config, {
      git: { folder, commit: base.commit },
      ...(found === undefined ? {} : { instead: found.instead }),
    });
    if (flags.dryRun === true || !isDocument(flags.output)) await print(plan);
    return promote(io, flags, { folder, repository, prefix, base, config, plan });
  });
}

interface Promotion {
  readonly folder: string;
  readonly repository: Repository;
  readonly prefix: string;
  readonly base: Base;
  readonly config: PromotionConfig | undefined;
  readonly plan: PromotionPlan;
}

async function promote(io: Io, flags: MrFlags, promotion: Promotion): Promise<number> {
  const { plan, config, folder } = promotion;
  const prefix = config?.branchPrefix ?? 'promote-';
  const branch = flags.branch ?? branchName(plan, prefix);
  if (flags.dryRun === true) {
    io.stderr.write(`this is a dry run: no branch ${branch} and no merge request was made\n`);
    return EXIT.ok;
  }
  requireDigests(plan);
  if (plan.files.length === 0) return result(io, flags, plan, undefined);
  await requireClean(folder, plan.files, { operations: 'allowed' });
  return result(io, flags, plan, await make(io, flags, promotion, { branch, prefix }));
}

/** Branch, commit, push, merge request: as far as remote and forge allow. */
async function make(
  io: Io,
  flags: MrFlags,
  { plan, repository, base, config, prefix: below }: Promotion,
  { branch, prefix }: { readonly branch: string; readonly prefix: string },
): Promise<Done> {
  const forge = await forgeFor(io, flags, base);
  const pushes = flags.push && base.remoteUrl !== undefined;
  const there = pushes ? await forge?.findMergeRequest(branch) : undefined;
  const made = await commitPlan(repository, {
    branch,
    parent: base.commit,
    message: commitMessage(plan),
    files: new Map(plan.files.map(({ file, after }) => [`${below}${file}`, after])),
    ...(pushes ? { remote: flags.remote } : {}),
  });
  if (!pushes) return { made, why: notPushed(flags, base) };
  await tellingOf(`the branch ${branch} is made here at ${made.commit.slice(0, 12)} and not pushed`, () =>
    pushBranch(repository, flags.remote, made),
  );
  if (forge === undefined) {
    return { made, why: `pushed to ${flags.remote}; no forge is known, so open the merge request by hand` };
  }
  const request = {
    branch,
    targetBranch: base.branch,
    title: promotionTitle(plan),
    description: promotionDescription(plan, await unifiedDiff(plan.files)),
    labels: labelsOf(flags, config, plan),
    branchPrefix: `${prefix}${plan.upstream.name}-`,
  };
  const delivered = await tellingOf(`the branch ${branch} is pushed to ${flags.remote}`, () =>
    deliver(forge, plan, request, there),
  );
  return { made, delivered };
}

/** A failure half way says how far it came; the same command goes on from there. */
async function tellingOf<T>(done: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (!(thrown instanceof EchelonError)) throw thrown;
    const { code, message, hint } = thrown;
    throw new EchelonError({ code, message, hint: `${hint}; ${done}: run this again to go on from there` });
  }
}

function labelsOf({ label = [] }: MrFlags, config: PromotionConfig | undefined, { upstream }: PromotionPlan): string[] {
  return [...new Set([...(config?.labels ?? []), ...(config?.upstreams[upstream.name]?.labels ?? []), ...label])];
}

function notPushed(flags: MrFlags, base: Base): string {
  return base.remoteUrl === undefined
    ? `not pushed: the repository has no remote ${flags.remote}`
    : 'not pushed, as --no-push says';
}

/** Before anything is written: a forge that cannot be used is no reason to stop half way. */
async function forgeFor(io: Io, flags: MrFlags, { remoteUrl }: Base): Promise<Forge | undefined> {
  const url = flags.forgeUrl ?? remoteUrl;
  if (!flags.push || url === undefined) return undefined;
  try {
    return await openForge(url, {
      env: io.env,
      readOnly: false,
      signal: io.signal,
      ...defined({ kind: flags.forge, api: flags.forgeApi }),
    });
  } catch (thrown) {
    const isAsked = flags.forge !== undefined || flags.forgeUrl !== undefined;
    if (isAsked || !(thrown instanceof EchelonError)) throw thrown;
    return undefined;
  }
}

interface Done {
  readonly made: Branch;
  readonly delivered?: Delivered;
  /** Why there is no merge request. */
  readonly why?: string;
}

async function result(io: Io, flags: MrFlags, plan: PromotionPlan, done: Done | undefined): Promise<number> {
  if (isDocument(flags.output)) {
    io.stdout.write(await document(flags.output, resultDocument(plan, done)));
    return EXIT.ok;
  }
  if (done === undefined) return EXIT.ok;
  const { made, delivered, why } = done;
  io.stdout.write(
    `\nBranch ${made.branch} at ${made.commit.slice(0, 12)}${made.isNew ? '' : ', as it was already'}${why === undefined ? '' : `; ${why}`}.\n`,
  );
  if (delivered !== undefined) {
    io.stdout.write(`Merge request ${delivered.outcome}: ${delivered.request.url}\n`);
    for (const { url } of delivered.superseded) io.stdout.write(`Closed, as this one does the same: ${url}\n`);
  }
  return EXIT.ok;
}

function resultDocument(plan: PromotionPlan, done: Done | undefined): object {
  return {
    apiVersion: API_VERSION,
    kind: 'PromotionRequest',
    commit: plan.version.commit,
    items: plan.items,
    files: plan.files.map(({ file }) => file),
    ...(done === undefined
      ? {}
      : {
          branch: done.made.branch,
          head: done.made.commit,
          ...defined({ reason: done.why }),
          ...(done.delivered === undefined
            ? {}
            : {
                mergeRequest: { url: done.delivered.request.url, outcome: done.delivered.outcome },
                superseded: done.delivered.superseded.map(({ url }) => url),
              }),
        }),
  };
}
