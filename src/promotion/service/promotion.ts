import { defined, EchelonError } from '../../base/index.ts';
import type { FileEdit, Instance } from '../../instance/index.ts';
import { initialPromotionFile } from '../discover/initial-file.ts';
import { discover } from '../discover/known-targets.ts';
import { type NewValue, type ReadTargets, readTargets, type TargetValue } from '../plan/plan-edits.ts';
import { makePromotionPlan, type PromotionPlan } from '../plan/promotion-plan.ts';
import { requirePinsMerged, unmergedPinNotes } from '../plan/shard-moves.ts';
import { forgottenPins, type SchemasState } from '../plan/warnings.ts';
import type { DeliveryRequest, GitPort, PlanRequest, PromotionPorts, UpstreamHistory } from '../ports.ts';
import { type Version, written } from '../targets/find-targets.ts';
import {
  chooseTargets,
  chooseUpstream,
  missingConfig,
  PROMOTION_FILE,
  type PromotionConfig,
  readPromotionFile,
  type Upstream,
  withSchemas,
} from '../targets/promotion-file.ts';
import { baseOf, unmergedPins } from './base-commit.ts';
import { branchName, carryOutDelivery, type Delivery, type PlannedDelivery, requireOwnBranch } from './delivery.ts';
import { findRollback } from './rollback.ts';
import { hashLengthOf, openUpstream, wantedVersion } from './upstream.ts';
import { openWorkingTree, openWorkspace, readConfig, type Workspace, withTree } from './workspace.ts';

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
      return planPromotion(ports, request, { workspace, config, place: { folder }, direction });
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
        const place = { folder, commit: base.commit };
        const plan = await planPromotion(ports, request, { workspace, config, place, direction });
        const branchPrefix = config?.branchPrefix ?? DEFAULT_BRANCH_PREFIX;
        const branch = delivery.branch ?? branchName(plan, branchPrefix);
        await requireOwnBranch(repository, branch, { remote: delivery.remote, target: base.branch });
        const caller = await ports.git.identity(folder);
        const at = { folder, prefix, commit: base.commit };
        const pinnedHere = direction === 'back' ? [] : await unmergedPins(ports, repository, plan.shards.moving, at);
        return {
          ...{
            branch,
            branchPrefix,
            base,
            config,
            repository,
            folderPrefix: prefix,
            request: delivery,
            pinnedHere,
            caller,
          },
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

const HISTORY_LIMIT = 1;

/** Where git has the instance's files: a folder of a clone, and a commit unless it is the working tree. */
interface GitPlace {
  readonly folder: string;
  readonly commit?: string;
}

interface PlanOptions {
  readonly workspace: Workspace;
  readonly config: PromotionConfig | undefined;
  readonly place: GitPlace;
  readonly direction: Direction;
}

/** Collects all facts and computes the plan for a workspace. */
async function planPromotion(
  ports: PromotionPorts,
  request: PlanRequest,
  { workspace, config, place, direction }: PlanOptions,
): Promise<PromotionPlan> {
  const known = request.upstream === 'schemas' ? withSchemas(config, workspace.snapshot.env) : config;
  if (known === undefined) throw missingConfig();
  const name = chooseUpstream(known, request.upstream);
  const upstream = known.upstreams[name] as Upstream;
  const only = request.only ?? [];
  const targets = chooseTargets(known, { upstream: name, only, except: request.except ?? [] });
  const { upstreamClone: clone, offline, undoRollback } = request;
  const found = readTargets(targets, workspace, hashLengthOf(workspace.instance));
  const back = direction === 'back' ? await rollbackAt(ports, place, workspace, { name, found }) : undefined;
  const history = await openUpstream(ports, upstream, { ...defined({ clone, offline }) });
  const version =
    back?.version ??
    (await wantedVersion(ports, request, { workspace, upstream, name, commit: await history.resolve(request.to) }));
  const schemas = name === 'schemas' ? undefined : await schemasState(ports, request, workspace, known);
  const { git } = ports;
  return makePromotionPlan({
    ...workspace,
    upstream: { name, ...defined({ url: upstream.url }) },
    version,
    found: back?.found ?? found,
    newValue: back?.newValue ?? ((value) => written(version, { ...value.target, form: value.form })),
    targets: back === undefined ? targets : targets.filter((target) => back.targets.has(target)),
    allTargets: known.targets,
    scope: only,
    history: back === undefined ? history : withoutFailures(history),
    caller: await git.identity(place.folder),
    allowRollback: request.allowRollback === true || back !== undefined,
    now: ports.now(),
    ...defined({ undoes: back?.undoes, undoRollback, schemas, recorded: ports.recorded }),
    oldPins: await forgottenPins(workspace.instance, git.lineDates(place.folder, place.commit), ports.now()),
  });
}

/** What the targets held before their last change. */
async function rollbackAt(
  { git }: PromotionPorts,
  { folder, commit: ref = 'HEAD' }: GitPlace,
  { read, instance }: Workspace,
  { name, found }: { readonly name: string; readonly found: ReadTargets },
) {
  const { repository, prefix } = await git.repositoryAt(folder);
  const { undoes, values, newValue } = await findRollback({ repository, prefix, ref, read }, name, found.values);
  const targets = new Set(values.map(({ target }) => target));
  return { undoes, newValue, targets, found: { ...found, values }, version: oldVersion(values, newValue, instance) };
}

/** The version that most values get, as whole as one of them has it; the others are in the items of the plan. */
function oldVersion(values: readonly TargetValue[], newValue: NewValue, instance: Instance): Version {
  const all = values
    .filter((value) => value.form !== 'digest' && newValue(value) !== value.old)
    .map((value) => newValue(value) ?? '');
  const byVersion = Map.groupBy(all, (value) => (COMMIT.test(value) ? value.slice(0, 7) : value));
  const [most = []] = [...byVersion.values()].toSorted((a, b) => b.length - a.length);
  const commit = most.toSorted((a, b) => b.length - a.length)[0] ?? '';
  return { commit, hashLength: hashLengthOf(instance), ...(COMMIT.test(commit) ? {} : { tag: commit }) };
}

const COMMIT = /^[0-9a-f]{7,40}$/;

/** A rollback does not wait for a forge: commits that it does not tell are not known. */
function withoutFailures(history: UpstreamHistory): UpstreamHistory {
  const known = async <T>(asked: Promise<T>, otherwise: T): Promise<T> =>
    asked.catch((thrown: unknown) => {
      if (thrown instanceof EchelonError) return otherwise;
      throw thrown;
    });
  return {
    ...history,
    compare: (...asked) => known(history.compare(...asked), { relation: 'unknown', commits: [], total: 0 }),
    ...(history.changedPaths === undefined
      ? {}
      : { changedPaths: (from, to) => known(history.changedPaths?.(from, to) ?? Promise.resolve([]), []) }),
  };
}

/** How far the pinned schemas are behind, if a clone is available. */
async function schemasState(
  ports: PromotionPorts,
  { schemasClone }: PlanRequest,
  { snapshot }: Workspace,
  { upstreams }: PromotionConfig,
): Promise<SchemasState | undefined> {
  const pinned = snapshot.env.get('SCHEMAS_IMAGE_TAG');
  if (schemasClone === undefined || pinned === undefined) return undefined;
  const upstream = upstreams['schemas'] ?? { url: snapshot.env.get('SCHEMAS_REPO') ?? '' };
  const history = await openUpstream(ports, upstream, { clone: schemasClone });
  const newest = await history.resolve(undefined);
  const { relation, total } = await history.compare(pinned, newest, HISTORY_LIMIT);
  return { pinned, newest, behind: relation === 'ahead' || relation === 'diverged' ? total : 0 };
}

interface FirstFileRequest {
  /** Overwrite an existing file. */
  readonly force: boolean;
  readonly dryRun: boolean;
}

interface FirstFile {
  readonly text: string;
  readonly targets: number;
  readonly upstreams: number;
}

/** Writes an initial `promotion.yml` with the known places of versions. */
async function writeFirstFile(
  ports: PromotionPorts,
  folder: string,
  { force, dryRun }: FirstFileRequest,
): Promise<FirstFile> {
  if (ports.files.text(folder, PROMOTION_FILE) !== undefined && !force && !dryRun) throw exists();
  const { instance, read } = await openWorkspace(ports, folder);
  const found = discover(instance, read);
  if (found.targets.length === 0) throw nothingFound();
  const text = initialPromotionFile(found);
  readPromotionFile(text);
  if (!dryRun) ports.files.write(folder, PROMOTION_FILE, text, { replace: force });
  return { text, targets: found.targets.length, upstreams: found.upstreams.length };
}

function exists(): EchelonError {
  return new EchelonError({
    code: 'PROMOTION_FILE_EXISTS',
    message: `${PROMOTION_FILE} already exists`,
    hint: 'pass --force to overwrite it, or --dry-run to print it',
  });
}

function nothingFound(): EchelonError {
  return new EchelonError({
    code: 'TARGET_NOT_FOUND',
    message:
      'no known place of a version in this instance: no *_IMAGE_TAG in .env, no ref or image tag of an upstream, no tag in manager.yml',
    hint: `set a tag in resources/echelon/manager.yml, or write ${PROMOTION_FILE} by hand`,
  });
}

/** Refuses to mix uncommitted changes with a promotion; a rebase in progress only affects the working tree. */
async function requireClean(
  git: GitPort,
  folder: string,
  files: readonly FileEdit[],
  options: { readonly operations?: 'allowed' } = {},
): Promise<void> {
  if (files.length === 0) return;
  const { repository, prefix } = await git.repositoryAt(folder);
  const { dirty, conflicts, operation } = await repository.state(files.map(({ file }) => `${prefix}${file}`));
  const [conflict] = conflicts;
  if (conflict !== undefined) throw refused(`${conflict} has conflicts`, 'resolve them first');
  if (operation !== undefined && options.operations !== 'allowed') {
    throw refused(`a ${operation} is in progress in ${repository.root}`, `finish or abort the ${operation} first`);
  }
  if (dirty.length > 0) {
    throw refused(
      `${dirty.join(', ')} ${dirty.length === 1 ? 'has' : 'have'} uncommitted changes`,
      'commit, stash or undo them first',
    );
  }
}

function refused(message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'PROMOTION_DIRTY', message: `${message}. Nothing was changed`, hint });
}
