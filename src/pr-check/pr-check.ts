import { join } from 'node:path';
import { defined, EchelonError } from '../base/index.ts';
import { type Problem, readInstance } from '../instance/index.ts';
import { plannedWaves } from '../rollouts/index.ts';
import { changedFiles, explainFiles, type Side } from './changed-files.ts';
import { executeRuns, runShadows } from './execute-runs.ts';
import { planRuns, runImages, runImageText } from './plan-runs.ts';
import type {
  CheckedRepository,
  CheckFilesPort,
  CommentRequest,
  ComparedRequest,
  PrCheckPorts,
  PrCheckRequest,
  RunsRequest,
} from './ports.ts';
import { type CheckReport, compareProblems, type RunResult, verdictOf } from './report.ts';
import { checkMarkdown } from './report-markdown.ts';
import { selectIntegrations } from './select-integrations.ts';
import { sideWorkloads, type WorkloadReport, workloadReport } from './workloads.ts';

interface PrCheckSettings {
  /** The instance, in a clone of its repository. */
  readonly folder: string;
}

/** Checks a change to an instance: the only assembly of that job. */
interface PrCheck {
  /** Reports what the change affects; optionally runs the affected integrations in dry-run mode. */
  check(request: PrCheckRequest): Promise<CheckedChange>;
  /** Posts the report to a merge request, replacing an earlier one. */
  comment(checked: CheckedChange, request: CommentRequest): Promise<{ readonly updated: boolean }>;
}

export function openPrCheck({ folder }: PrCheckSettings, ports: PrCheckPorts): PrCheck {
  return {
    check: async (request) => {
      const compared = await compare(ports, folder, request);
      return ports.files.withScratch('pr-check', async (scratch) => {
        const sides = await loadSides(ports, compared, scratch);
        const report = await checkSides(ports, request, compared, { ...sides, scratch });
        return { report, repository: compared.repository, baseRepoUrl: sides.base.instance.settings?.repoUrl };
      });
    },
    comment: (checked, request) => commentOn(ports, checked, request),
  };
}

async function checkSides(
  ports: PrCheckPorts,
  request: PrCheckRequest,
  compared: Compared,
  sides: LoadedSides & { readonly scratch: string },
): Promise<CheckReport> {
  const { capabilities, compareSha, render, selectStrict, runs } = request;
  const files = explainFiles(changedFiles(compared.changes, compared.folder), sides);
  const imageOf = runImages(request.images, sides.head.instance);
  const imageBefore = runImages(request.images, sides.base.instance);
  const integrations = selectIntegrations(files, sides, {
    strict: selectStrict,
    images: { atBase: (run) => runImageText(imageBefore(run)), atHead: (run) => runImageText(imageOf(run)) },
  });
  const plan = planRuns(sides, integrations, { ...defined({ capabilities, compareSha }) });
  const rollout = await plannedWaves(sides.base.instance, sides.head.instance, ports.now(), ports.recorded);
  const planned: CheckReport = {
    base: compared.base,
    head: compared.head,
    files,
    validation: compareProblems(sides.base.problems, sides.head.problems),
    ...(render ? { workloads: await compareRendered(ports, sides) } : {}),
    ...defined({ rollout }),
    integrations,
    runs: plan.runs.map((run) => ({ ...run, image: runImageText(imageOf(run)) })),
    notes: plan.notes,
  };
  const ran = runs === undefined ? planned : await withRuns(ports, runs, planned, { sides, imageOf });
  const { shadows: wanted } = request;
  if (wanted === undefined || planned.workloads === undefined) return ran;
  if (!verdictOf(planned).ok)
    return { ...ran, shadows: { reports: [], notes: ['nothing compared: the change adds data errors'] } };
  return { ...ran, shadows: await runShadows(ports, request, wanted, { ...sides, ...planned.workloads }) };
}

async function withRuns(
  ports: PrCheckPorts,
  runs: RunsRequest,
  planned: CheckReport,
  { sides, imageOf }: { readonly sides: LoadedSides; readonly imageOf: ReturnType<typeof runImages> },
): Promise<CheckReport> {
  const folders = { base: sides.base.folder, head: sides.head.folder, imageOf };
  const results = verdictOf(planned).ok
    ? await executeRuns(ports, runs, planned.runs, folders)
    : planned.runs.map(({ name }) => skipped(name));
  return { ...planned, results };
}

/** Renders both sides for all environments and compares them. */
async function compareRendered({ renderWorkloads, guard }: PrCheckPorts, sides: LoadedSides): Promise<WorkloadReport> {
  const base = sideWorkloads(sides.base, await renderWorkloads(sides.base.instance));
  const head = sideWorkloads(sides.head, await renderWorkloads(sides.head.instance));
  return workloadReport(base, head, guard);
}

/** Integrations would fail on unreadable data, each with its own error. */
function skipped(name: string): RunResult {
  return { name, end: 'skipped', seconds: 0, reason: 'the change adds data errors' };
}

type CommittedChange = Awaited<ReturnType<CheckedRepository['changes']>>[number];

/** The two sides of a PR check. */
interface Compared {
  readonly repository: CheckedRepository;
  /** The instance in the work tree. */
  readonly root: string;
  /** The same relative to the repository root, with slashes; empty for the root. */
  readonly folder: string;
  readonly base: CheckReport['base'] & { readonly commit: string };
  /** The working tree if it has no commit. */
  readonly head: CheckReport['head'];
  readonly changes: readonly CommittedChange[];
}

async function compare(
  { git, files }: Pick<PrCheckPorts, 'git' | 'files'>,
  root: string,
  request: ComparedRequest,
): Promise<Compared> {
  if (!files.exists(root)) throw noFolder(root);
  const { repository, prefix } = await git.repositoryAt(root);
  const worktree = request.worktree === true || request.head === '.';
  const tip = worktree ? (await repository.head()).commit : await repository.commitOf(request.head ?? 'HEAD');
  const base = await checkBase(repository, request, tip);
  const committed = await repository.changes(base.commit, tip);
  return {
    repository,
    root,
    folder: prefix.replace(/\/$/, ''),
    base,
    head: worktree ? { ref: 'working tree' } : { ref: request.head ?? 'HEAD', commit: tip },
    changes: worktree ? await withUncommitted(files, repository, base.commit, committed) : committed,
  };
}

/** Where the branch began: the merge base of the head with the given base, else with the remote's default branch. */
async function checkBase(
  repository: CheckedRepository,
  { base, remote }: ComparedRequest,
  tip: string,
): Promise<Compared['base']> {
  const ref = base ?? (await repository.defaultBranch(remote));
  const target =
    base === undefined
      ? await repository.commitOf(`refs/remotes/${remote}/${ref}`).catch(() => ref)
      : await repository.commitOf(base);
  const commit = await repository.mergeBase(target, tip);
  if (commit === undefined) {
    throw new EchelonError({
      code: 'BASE_UNKNOWN',
      message: `${repository.root}: ${ref} and the head have no common ancestor`,
      hint: 'pass the commit to compare with as --base, or fetch the full history',
    });
  }
  const behind = commit === target ? 0 : (await repository.log(commit, target, 0)).total;
  return { ref, commit, ...(behind === 0 ? {} : { behind }) };
}

/** Committed changes combined with those in the working tree. */
async function withUncommitted(
  files: CheckFilesPort,
  repository: CheckedRepository,
  base: string,
  committed: readonly CommittedChange[],
): Promise<CommittedChange[]> {
  const before = new Map<string, boolean>();
  for (const { path, change, from } of committed) {
    before.set(path, change === 'modified' || change === 'deleted');
    if (from !== undefined) before.set(from, true);
  }
  for (const path of (await repository.state([])).dirty) {
    if (!before.has(path)) before.set(path, (await repository.readFile(base, path)) !== undefined);
  }
  return [...before].flatMap(([path, was]): CommittedChange[] => {
    const is = files.exists(join(repository.root, path));
    if (!was && !is) return [];
    return [{ path, change: was ? (is ? 'modified' : 'deleted') : 'added' }];
  });
}

function noFolder(root: string): EchelonError {
  return new EchelonError({
    code: 'INSTANCE_NOT_FOUND',
    message: `${root} does not exist`,
    hint: 'pass the instance folder in a git repository with --data',
  });
}

/** A side on disk. */
interface LoadedSide extends Side {
  readonly folder: string;
  readonly problems: readonly Problem[];
}

interface LoadedSides {
  readonly base: LoadedSide;
  readonly head: LoadedSide;
}

const PARTS = ['data', 'resources', '.env'] as const;
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** Loads and validates both sides. Nothing is checked out: commits are exported to separate folders. */
async function loadSides(ports: PrCheckPorts, compared: Compared, scratch: string): Promise<LoadedSides> {
  const load = async (commit: string | undefined, name: string): Promise<LoadedSide> =>
    loadSide(
      ports,
      commit === undefined ? compared.root : await exported(ports, compared, commit, join(scratch, name)),
    );
  return { base: await load(compared.base.commit, 'base'), head: await load(compared.head.commit, 'head') };
}

/** A commit before the instance existed gives an empty instance. */
async function exported(
  { files }: PrCheckPorts,
  { repository, folder }: Compared,
  commit: string,
  into: string,
): Promise<string> {
  const prefix = folder === '' ? '' : `${folder}/`;
  await repository.exportTree(
    commit,
    into,
    PARTS.map((part) => `${prefix}${part}`),
  );
  const root = join(into, folder);
  files.makeFolder(join(root, 'data'));
  return root;
}

async function loadSide({ files, loadFolder, validate }: PrCheckPorts, folder: string): Promise<LoadedSide> {
  const snapshot = await loadFolder(folder, 'exported');
  return {
    folder,
    instance: readInstance(snapshot),
    problems: await validate(snapshot),
    text: (file) => files.textUpTo(join(folder, file), MAX_TEXT_BYTES),
  };
}

/** Identifies the comment of an earlier check. */
const MARKER = 'echelon-pr-check';

/** A report and its repository. */
interface CheckedChange {
  readonly report: CheckReport;
  readonly repository: CheckedRepository;
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
