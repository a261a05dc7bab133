import type { ListedRows } from '../../base/index.ts';
import type { Rules } from '../engine/rules.ts';
import { forecastOrganization } from '../forecast/forecast-input.ts';
import type { ForecastChange } from '../forecast/request.ts';
import { checkForecastRequest, type ForecastRequest, forecastOf } from '../forecast/request.ts';
import { isCircle } from '../policies/inheritance.ts';
import type { OrganizationReport } from '../scheduler/apply.ts';
import {
  isSkipped,
  type OrganizationOutcome,
  type PlannedOrganization,
  type ReadingDepth,
} from '../scheduler/plan-organization.ts';
import {
  type AppliedPlan,
  createScheduler,
  type FleetPlanned,
  type FleetReport,
  type WriteOptions,
} from '../scheduler/scheduler.ts';
import {
  type ClusterAnswer,
  type ClusterExplanation,
  explainClusters,
  explainedIn,
  explainReference,
} from '../views/explanation.ts';
import { historyEvents, historyListing } from '../views/history.ts';
import { type OrganizationPlan, organizationPlan, type UpgradePlan } from '../views/plan.ts';
import { fleetReport, inReportOrder, type OrganizationSheet } from '../views/report.ts';
import type { UpgradesPorts } from './ports.ts';
import { noneServed, openSources, purposeOf, type SourcePurpose, type UpgradesSettings } from './sources.ts';

/** A plan of the whole fleet: as data, and ready to apply. */
export interface MadePlan extends Pick<FleetPlanned, 'apply'> {
  readonly plan: UpgradePlan;
  /** Set when no cluster has a policy. */
  readonly noneServed?: string;
  /** Organizations without a history: a wrong state location must not be mistaken for a fleet that never soaked. */
  readonly newHistories?: string;
}

export interface PlanCalls {
  readonly signal?: AbortSignal;
  /** Called with configuration warnings. */
  readonly onNote?: (note: string) => void;
  /** Called with the current activity. */
  readonly onStep?: (step: string) => void;
}

interface FleetObservation {
  readonly made: MadePlan;
  readonly clusters: readonly ClusterExplanation[];
  readonly organizations: readonly PlannedOrganization[];
  /** What `report` gives. */
  readonly sheets: readonly OrganizationSheet[];
}

/** The result of a pass, and configuration warnings. */
interface PassOutcome<Kept> extends FleetReport<Kept> {
  readonly notes: readonly string[];
}

/**
 * The upgrades job. Connections and caches last from call to call. Only `apply` and `pass` write anything.
 */
export interface UpgradesService {
  readonly rules: Rules;
  /** Observes everything and decides. */
  plan(calls?: PlanCalls): Promise<MadePlan>;
  /** Stores the observation and applies exactly the plan. */
  apply(made: MadePlan, write?: WriteOptions): Promise<AppliedPlan>;
  /** Every candidate of the cluster with a name, id or UUID, with the verdict of every gate. */
  explain(reference: string, calls?: PlanCalls): Promise<{ readonly made: MadePlan } & ClusterAnswer>;
  /** Which cluster gets which version when, if nothing else changes. */
  forecast(request: ForecastRequest, calls?: PlanCalls): Promise<{ readonly made: MadePlan } & ForecastChange>;
  /** The fleet report. */
  report(calls?: PlanCalls): Promise<{ readonly made: MadePlan; readonly sheets: readonly OrganizationSheet[] }>;
  /** What the scheduler observed and scheduled, of all clusters or of one by name or UUID, newest first. */
  history(
    reference: string | undefined,
    calls?: PlanCalls,
  ): Promise<{ readonly made: MadePlan; readonly rows: ListedRows }>;
  /** The plan, every gate's verdict on every cluster, the report, and the organizations to forecast. */
  observe(calls?: PlanCalls): Promise<FleetObservation>;
  /** A whole pass, with what is kept of each organization. In a dry run it ends with the plan. */
  pass<Kept>(
    signal: AbortSignal,
    write: WriteOptions & { readonly dryRun: boolean },
    keep: (report: OrganizationReport) => Kept,
  ): Promise<PassOutcome<Kept>>;
}

interface OpenUpgradesOptions {
  /** From the settings when absent. */
  readonly purpose?: SourcePurpose;
  /** Clusters that are neither due nor known to be busy are read at most once in this time. */
  readonly resyncSeconds?: number;
}

/** The only assembly of the upgrades job: commands, pods and the console call it. */
export async function openUpgrades(
  settings: UpgradesSettings,
  ports: UpgradesPorts,
  { purpose = purposeOf(settings), ...options }: OpenUpgradesOptions = {},
): Promise<UpgradesService> {
  const sources = await openSources(settings, ports, purpose);
  const { store, rules, ignoreSts } = sources;
  const { integration, policies } = purpose;
  const scheduler = createScheduler({ ...{ integration, store, rules, ignoreSts, clock: ports.clock }, ...options });

  const planKeeping = async <Kept>(
    { signal, onNote, onStep }: PlanCalls = {},
    depth: ReadingDepth,
    keep: (outcome: OrganizationOutcome) => Kept,
  ): Promise<{ readonly made: MadePlan; readonly kept: readonly Kept[] }> => {
    const { notes, ...scope } = await sources.load();
    for (const note of notes) onNote?.(note);
    onStep?.(`observe ${scope.sites.map(({ name }) => name).join(', ')}`);
    const { environments, organizations, apply } = await scheduler.plan(
      { ...scope, signal: signal ?? ports.signal },
      depth,
      (outcome) => ({ plan: organizationPlan(outcome), isNew: isNew(outcome), kept: keep(outcome) }),
    );
    const plan = { environments, organizations: organizations.map((each) => each.plan) };
    for (const note of circleNotes(plan.organizations)) onNote?.(note);
    const fresh = organizations.filter((each) => each.isNew).map((each) => each.plan.name);
    const made = {
      ...{ plan, apply },
      ...(organizations.length === 0 ? { noneServed: noneServed(policies) } : {}),
      ...(fresh.length === 0 ? {} : { newHistories: newHistories(fresh, store.name) }),
    };
    return { made, kept: organizations.map(({ kept }) => kept) };
  };
  const explained = 'explanation';
  return {
    rules,
    plan: async (calls) => (await planKeeping(calls, explained, () => undefined)).made,
    apply: (made, write) => made.apply(write),
    explain: async (reference, calls) => {
      const { made, kept } = await planKeeping(calls, explained, (outcome) => explainedIn(outcome, reference));
      return { made, ...explainReference(kept, reference, policies, rules) };
    },
    forecast: async (request, calls) => {
      checkForecastRequest(request);
      const { made, kept } = await planKeeping(calls, 'forecast', (outcome) =>
        observedIn(outcome).map(forecastOrganization),
      );
      return { made, ...(await forecastOf(kept.flat(), request, { rules, now: ports.clock.now() })) };
    },
    report: async (calls) => {
      const { made, kept } = await planKeeping(calls, explained, (outcome) => fleetReport([outcome]));
      return { made, sheets: reportedSheets(kept.flat()) };
    },
    history: async (reference, calls) => {
      const { made, kept } = await planKeeping(calls, explained, (outcome) =>
        isSkipped(outcome) ? [] : historyEvents(outcome),
      );
      return { made, rows: historyListing(kept.flat(), reference) };
    },
    observe: async (calls) => {
      const { made, kept } = await planKeeping(calls, 'forecast', observedIn);
      const organizations = kept.flat();
      const sheets = reportedSheets(fleetReport(organizations));
      return { made, clusters: explainClusters(organizations), organizations, sheets };
    },
    pass: async (signal, write, keep) => {
      const { notes, ...scope } = await sources.load(signal);
      const { environments, organizations } = await scheduler.pass({ ...scope, signal }, write, (report) => ({
        circles: isSkipped(report.outcome) ? [] : report.outcome.spec.problems.filter(isCircle),
        kept: keep(report),
      }));
      return {
        environments,
        organizations: organizations.map(({ kept }) => kept),
        notes: [...notes, ...circleNotes(organizations.map(({ circles }) => ({ problems: circles })))],
      };
    },
  };
}

/** Organizations with clusters, in their order. */
function reportedSheets(sheets: readonly OrganizationSheet[]): OrganizationSheet[] {
  return inReportOrder(sheets).filter(({ rows, held }) => rows.length + held.length > 0);
}

/** Each circle of inheritance once. */
function circleNotes(organizations: readonly Pick<OrganizationPlan, 'problems'>[]): string[] {
  const circles = organizations.flatMap(({ problems }) => problems.filter(isCircle));
  return [...new Set(circles.map(({ message, hint }) => `${message}; ${hint}`))];
}

/** The organization, if it could be observed. */
function observedIn(outcome: OrganizationOutcome): PlannedOrganization[] {
  return isSkipped(outcome) ? [] : [outcome];
}

function isNew(outcome: OrganizationOutcome): boolean {
  return !isSkipped(outcome) && outcome.stored.version === 'absent';
}

function newHistories(names: readonly string[], where: string): string {
  return `${where} has no history for ${names.join(', ')}: nothing has soaked there yet`;
}
