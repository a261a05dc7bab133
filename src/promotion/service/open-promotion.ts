import { defined, EchelonError } from '../../base/index.ts';
import type { PromotionPlan } from '../plan/make-plan.ts';
import { requirePinsMerged, unmergedPinNotes } from '../plan/unmerged-pins.ts';
import type { DeliveryRequest, PlanRequest, PromotionPorts } from '../ports.ts';
import { baseOf } from './base-commit.ts';
import { branchName } from './branch.ts';
import { carryOutDelivery, type Delivery, type PlannedDelivery } from './delivery.ts';
import { unmergedPins } from './local-pins.ts';
import { planPromotion } from './plan-promotion.ts';
import { requireClean } from './require-clean.ts';
import { rollbackOf } from './rollback.ts';
import { openWorkingTree, readConfig, withTree } from './workspace.ts';
import { type FirstFile, type FirstFileRequest, writeFirstFile } from './write-first-file.ts';

interface PromotionSettings {
  /** The instance to promote, in a clone of its repository. */
  readonly folder: string;
}

/** Forward to a version of the upstream, or back to the state before the last promotion. */
export type Direction = 'forward' | 'back';

/** Promotes versions in an instance: the only assembly of that job. */
export interface Promotion {
  /** Writes an initial `promotion.yml`. */
  init(request: FirstFileRequest): Promise<FirstFile>;
  /** What a promotion would change in the working tree. Writes nothing, except that an interrupted `apply` is undone. */
  plan(request: PlanRequest, direction: Direction): Promise<PromotionPlan>;
  /** Writes a plan into the working tree, all files or none; asks `agree` last and returns false if it declines. */
  apply(plan: PromotionPlan, agree: (plan: PromotionPlan) => Promise<boolean>): Promise<boolean>;
  /** What a merge request would change, planned on the target branch. Writes nothing. */
  planDelivery(request: PlanRequest, delivery: DeliveryRequest, direction: Direction): Promise<PlannedDelivery>;
  /** Creates one branch, one commit and one merge request, or nothing if nothing changes. Does not touch the working tree. */
  deliver(planned: PlannedDelivery): Promise<Delivery | undefined>;
}

const DEFAULT_BRANCH_PREFIX = 'promote-';

export function openPromotion({ folder }: PromotionSettings, ports: PromotionPorts): Promotion {
  return {
    init: (request) => writeFirstFile(ports, folder, request),

    plan: async (request, direction) => {
      const { workspace, config } = await openWorkingTree(ports, folder);
      if (direction === 'forward') return planPromotion(ports, request, workspace, config);
      const back = await rollbackOf(ports, request, { folder, workspace, ref: 'HEAD' });
      return planPromotion(ports, back.request, workspace, config, { instead: back.instead });
    },

    apply: async (plan, agree) => {
      requireDigests(plan);
      await requireClean(ports.git, folder, plan.files);
      if (plan.files.length > 0 && !(await agree(plan))) return false;
      ports.files.replace(folder, plan.files);
      return true;
    },

    planDelivery: async (request, delivery, direction) => {
      ports.files.recover(folder);
      const { repository, prefix } = await ports.git.repositoryAt(folder);
      const local = readConfig(ports.files, folder);
      const base = await baseOf(repository, delivery, local?.targetBranch);
      return withTree(ports, repository, { commit: base.commit, prefix }, async (workspace) => {
        const config = readConfig(ports.files, workspace.root) ?? local;
        const back =
          direction === 'back' ? await rollbackOf(ports, request, { folder, workspace, ref: base.commit }) : undefined;
        const plan = await planPromotion(ports, back?.request ?? request, workspace, config, {
          place: { folder, commit: base.commit },
          ...defined({ instead: back?.instead }),
        });
        const branchPrefix = config?.branchPrefix ?? DEFAULT_BRANCH_PREFIX;
        const branch = delivery.branch ?? branchName(plan, branchPrefix);
        const at = { folder, prefix, commit: base.commit };
        const pinnedHere = direction === 'back' ? [] : await unmergedPins(ports, repository, plan.shards.moving, at);
        return {
          ...{ branch, branchPrefix, base, config, repository, folderPrefix: prefix, request: delivery, pinnedHere },
          plan: { ...plan, notes: [...plan.notes, ...unmergedPinNotes(pinnedHere, base.branch)] },
        };
      });
    },

    deliver: async (planned) => {
      requireDigests(planned.plan);
      requirePinsMerged(planned.pinnedHere, planned.base.branch);
      if (planned.plan.files.length === 0) return undefined;
      await requireClean(ports.git, folder, planned.plan.files, { operations: 'allowed' });
      return carryOutDelivery(ports.forge, planned);
    },
  };
}

/** A tag must not change without its digest. */
function requireDigests({ pending }: PromotionPlan): void {
  if (pending.length === 0) return;
  throw new EchelonError({
    code: 'PROMOTION_DIGEST_UNKNOWN',
    message: `the new image's digest is unknown, and ${pending.join(', ')} cannot change without it. Nothing was promoted`,
    hint: 'pass --check-image to query the registry, set it with --digest, or exclude these with --except',
  });
}
