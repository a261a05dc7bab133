import { defined } from '../../base/index.ts';
import { plannedWaves } from '../../rollouts/index.ts';
import { changedFiles } from '../pr-check/changed-files.ts';
import { explainFiles } from '../pr-check/explain-files.ts';
import { planRuns } from '../pr-check/plan.ts';
import { compareProblems } from '../pr-check/problems.ts';
import { type CheckReport, type RunResult, verdictOf, type WorkloadReport } from '../pr-check/report.ts';
import { runImages, runImageText } from '../pr-check/run-images.ts';
import { selectIntegrations } from '../pr-check/select.ts';
import { sideWorkloads, workloadReport } from '../pr-check/workload-report.ts';
import { type CheckedChange, commentOn } from './check-comment.ts';
import type { PrCheckPorts } from './check-ports.ts';
import type { CommentRequest, PrCheckRequest, RunsRequest } from './check-requests.ts';
import { type Compared, compare } from './compared.ts';
import { executeRuns } from './execute-runs.ts';
import { runShadows } from './run-shadows.ts';
import { type LoadedSides, loadSides } from './sides.ts';

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
  const integrations = selectIntegrations(files, sides, { strict: selectStrict });
  const plan = planRuns(sides, integrations, { ...defined({ capabilities, compareSha }) });
  const imageOf = runImages(request.images, sides.head.instance);
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
