import { defined, type ListedRows } from '../../base/index.ts';
import type { Rules } from '../engine/rules.ts';
import { type ClusterExplanation, explainClusters } from '../explain/explain-cluster.ts';
import type { ForecastChange } from '../forecast/forecast-document.ts';
import { isCircle } from '../policies/inheritance.ts';
import { fleetReport, type OrganizationSheet } from '../report/fleet-report.ts';
import { historyListing } from '../report/history-listing.ts';
import { fleetPlan, type UpgradePlan } from '../scheduler/fleet-plan.ts';
import {
  isSkipped,
  type OrganizationOutcome,
  type PlannedOrganization,
  type ReadingDepth,
} from '../scheduler/plan-organization.ts';
import { createScheduler, type FleetPlanned, type FleetReport, type WriteOptions } from '../scheduler/scheduler.ts';
import { noneServed, purposeOf, type SourcePurpose } from '../settings/policy-purpose.ts';
import type { UpgradesPorts } from '../settings/ports.ts';
import type { UpgradesSettings } from '../settings/settings.ts';
import { openSources } from '../settings/sources.ts';
import { type ClusterAnswer, explainReference } from './explain-reference.ts';
import { checkForecastRequest, type ForecastRequest, forecastOf } from './forecast-request.ts';

/** A plan of the whole fleet: as data, and ready to apply. */
export interface MadePlan {
  readonly plan: UpgradePlan;
  readonly planned: FleetPlanned;
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
}

/** The result of a pass, and configuration warnings. */
interface PassOutcome {
  readonly report: FleetReport;
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
  apply(made: MadePlan, write?: WriteOptions): Promise<FleetReport>;
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
  /** The plan, every gate's verdict on every cluster, and the organizations to forecast. */
  observe(calls?: PlanCalls): Promise<FleetObservation>;
  /** A whole pass. In a dry run it ends with the plan. */
  pass(signal: AbortSignal, write: WriteOptions & { readonly dryRun: boolean }): Promise<PassOutcome>;
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

  const plan = async ({ signal, onNote, onStep }: PlanCalls = {}, depth?: ReadingDepth): Promise<MadePlan> => {
    const { notes, ...scope } = await sources.load();
    for (const note of notes) onNote?.(note);
    onStep?.(`observe ${scope.sites.map(({ name }) => name).join(', ')}`);
    const planned = await scheduler.plan({ ...scope, signal: signal ?? ports.signal }, depth);
    for (const note of circleNotes(planned.organizations)) onNote?.(note);
    return {
      ...{ plan: fleetPlan(planned), planned },
      ...(planned.organizations.length === 0 ? { noneServed: noneServed(policies) } : {}),
      ...defined({ newHistories: newHistories(planned, store.name) }),
    };
  };
  return {
    rules,
    plan: (calls) => plan(calls),
    apply: (made, write) => made.planned.apply(write),
    explain: async (reference, calls) => {
      const made = await plan(calls);
      const all = explainClusters(made.planned.organizations);
      return { made, ...explainReference(all, reference, policies, rules) };
    },
    forecast: async (request, calls) => {
      checkForecastRequest(request);
      const made = await plan(calls, 'forecast');
      return { made, ...(await forecastOf(observedIn(made), request, { rules, now: ports.clock.now() })) };
    },
    report: async (calls) => {
      const made = await plan(calls);
      const sheets = fleetReport(made.planned.organizations).filter(({ rows, held }) => rows.length + held.length > 0);
      return { made, sheets };
    },
    history: async (reference, calls) => {
      const made = await plan(calls);
      return { made, rows: historyListing(made.planned.organizations, reference) };
    },
    observe: async (calls) => {
      const made = await plan(calls, 'forecast');
      return { made, clusters: explainClusters(made.planned.organizations), organizations: observedIn(made) };
    },
    pass: async (signal, write) => {
      const { notes, ...scope } = await sources.load(signal);
      const report = await scheduler.pass({ ...scope, signal }, write);
      return { report, notes: [...notes, ...circleNotes(report.organizations.map(({ outcome }) => outcome))] };
    },
  };
}

/** Each circle of inheritance once. */
function circleNotes(outcomes: readonly OrganizationOutcome[]): string[] {
  const circles = outcomes.flatMap((outcome) => (isSkipped(outcome) ? [] : outcome.spec.problems.filter(isCircle)));
  return [...new Set(circles.map(({ message, hint }) => `${message}; ${hint}`))];
}

/** The organizations of a plan that could be observed. */
function observedIn({ planned }: MadePlan): PlannedOrganization[] {
  return planned.organizations.filter((outcome): outcome is PlannedOrganization => !isSkipped(outcome));
}

function newHistories({ organizations }: FleetPlanned, where: string): string | undefined {
  const fresh = organizations.filter((outcome) => !isSkipped(outcome) && outcome.stored.version === 'absent');
  if (fresh.length === 0) return undefined;
  const names = fresh.map(({ name }) => name).join(', ');
  return `${where} has no history for ${names}: nothing has soaked there yet`;
}
