import { defined, mapLimited, type StateStore } from '../../base/index.ts';
import { type Instant, instantOf, MICROS } from '../../gates/index.ts';
import { UPGRADE_GATES } from '../engine/decide.ts';
import type { UpgradeGates } from '../engine/gate.ts';
import type { Rules } from '../engine/rules.ts';
import type { Ledger } from '../engine/soak.ts';
import { type ApplyParts, applicable, applyOrganization, type OrganizationReport } from './apply.ts';
import {
  type EnvironmentOutcome,
  type FleetView,
  inOrderOfInheritance,
  observeFleet,
  type SeenOrganization,
  type Subject,
} from './fleet-view.ts';
import { createMemory, type Memory } from './memory.ts';
import {
  isSkipped,
  type OrganizationOutcome,
  type PlannedOrganization,
  type PlanParts,
  planOrganization,
  type ReadingDepth,
} from './plan-organization.ts';
import type { Site } from './ports.ts';
import { organizationStates } from './state.ts';

interface SchedulerOptions {
  /** The first part of the keys of histories, and the sender of service logs. */
  readonly integration: string;
  readonly store: StateStore;
  readonly rules: Rules;
  /** All gates of upgrades when absent. */
  readonly gates?: UpgradeGates;
  readonly clock: { now(): Date };
  /** Clusters with AWS STS are ignored. */
  readonly ignoreSts?: boolean;
  /** Clusters that are neither due nor known to be busy are read at most once in this time; default 600. */
  readonly resyncSeconds?: number;
  /** Of a previous scheduler that this one replaces. */
  readonly memory?: Memory;
}

/** The scope of a pass. */
interface PassScope {
  readonly sites: readonly Site[];
  /** OCMs where no organization is served, but which may publish history; queried only if an organization inherits. */
  readonly neighbours?: readonly Site[];
  readonly signal?: AbortSignal;
}

export interface FleetReport<Report = OrganizationReport> {
  readonly environments: readonly EnvironmentOutcome[];
  readonly organizations: readonly Report[];
}

/** The result of applying a plan. */
export type AppliedPlan = FleetReport<OrganizationReport<ReturnType<typeof applicable>>>;

export type WriteOptions = Pick<ApplyParts, 'onResult'> & {
  /** Checked before every write; always allowed when absent. */
  readonly mayWrite?: () => boolean;
  readonly signal?: AbortSignal;
};

/** A plan that can be applied, and what the caller keeps of each organization. */
export interface FleetPlanned<Kept = OrganizationOutcome> extends FleetReport<Kept> {
  /**
   * Stores the observation and applies exactly the plan. An organization whose history has changed since is skipped: its
   * plan is stale.
   */
  apply(options?: WriteOptions): Promise<AppliedPlan>;
}

/** Observes, decides and applies, for all organizations of some OCMs. Remembers between passes what saves calls. */
export interface Scheduler {
  /** Observes and decides; writes nothing. By default also reads what explanations need. */
  plan(scope: PassScope, depth?: ReadingDepth): Promise<FleetPlanned>;
  /** The same, without anything of an organization but what is kept of it. */
  plan<Kept>(
    scope: PassScope,
    depth: ReadingDepth,
    keep: (outcome: OrganizationOutcome) => Kept,
  ): Promise<FleetPlanned<Kept>>;
  /** A whole pass. In a dry run it ends with the plan. */
  pass(scope: PassScope, options?: PassOptions): Promise<FleetReport>;
  /** The same, without anything of an organization but what is kept of it. */
  pass<Kept>(
    scope: PassScope,
    options: PassOptions,
    keep: (report: OrganizationReport) => Kept,
  ): Promise<FleetReport<Kept>>;
}

type PassOptions = WriteOptions & { readonly dryRun?: boolean };

const ORGANIZATIONS_AT_ONCE = 4;
const DEFAULT_RESYNC_SECONDS = 600;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const {
    integration,
    rules,
    gates = UPGRADE_GATES,
    clock,
    memory = createMemory(),
    resyncSeconds = DEFAULT_RESYNC_SECONDS,
  } = options;
  const states = organizationStates(options.store, integration);
  const now = (): Instant => instantOf(clock.now().getTime());

  const view = ({ sites, neighbours = [] }: PassScope, signal: AbortSignal): Promise<FleetView> =>
    observeFleet({
      ...{ sites, neighbours, memory, now, signal },
      reading: { strict: rules.strictPolicies },
      ignoreSts: options.ignoreSts ?? false,
      onlyReady: !rules.heldClustersCount,
    });
  const partsOf = (
    { pass, organization, network, memory: own }: Subject,
    seen: SeenOrganization,
    rest: Pick<PlanParts, 'depth' | 'fresh' | 'signal'>,
  ): PlanParts => ({
    ...{ pass, organization, network, memory: own, ...seen, ...rest },
    ...{ states, rules, gates, now },
    resync: resyncSeconds * MICROS.second,
    serviceName: integration,
  });
  const writing = ({ onResult, mayWrite = () => true }: WriteOptions, signal: AbortSignal): ApplyParts => ({
    ...{ states, now, mayWrite, signal, serviceName: integration },
    ...defined({ onResult }),
  });

  const plan = async <Kept>(
    scope: PassScope,
    depth: ReadingDepth = 'explanation',
    keep: (outcome: OrganizationOutcome) => Kept = (outcome) => outcome as Kept,
  ): Promise<FleetPlanned<Kept>> => {
    const signal = scope.signal ?? new AbortController().signal;
    const fleet = await view(scope, signal);
    const fresh = freshLedgers(fleet);
    const planned = await eachObserved(fleet, signal, async (subject, seen) => {
      const outcome = await planOrganization(partsOf(subject, seen, { depth, fresh: fresh.known, signal }));
      fresh.keep(outcome);
      const { pass, memory: own, organization } = subject;
      return { subject: { pass, memory: own, organization }, plan: applicable(outcome), kept: keep(outcome) };
    });
    const environments = fleet.environments();
    return {
      environments,
      organizations: planned.map(({ kept }) => kept),
      apply: async (write = {}) => {
        const parts = writing(write, write.signal ?? signal);
        const organizations = await mapLimited(planned, ORGANIZATIONS_AT_ONCE, (each) =>
          applyOrganization(each.plan, each.subject, parts),
        );
        return { environments, organizations };
      },
    };
  };
  const pass = async <Kept>(
    scope: PassScope,
    write: PassOptions = {},
    keep: (report: OrganizationReport) => Kept = (report) => report as Kept,
  ): Promise<FleetReport<Kept>> => {
    const signal = scope.signal ?? write.signal ?? new AbortController().signal;
    const fleet = await view(scope, signal);
    const parts = writing(write, signal);
    const fresh = freshLedgers(fleet);
    const organizations = await eachObserved(fleet, signal, async (subject, seen) => {
      const decide = (): Promise<OrganizationOutcome> =>
        planOrganization(partsOf(subject, seen, { depth: 'decision', fresh: fresh.known, signal }));
      const outcome = await decide();
      if (write.dryRun === true) fresh.keep(outcome);
      if (write.dryRun === true || isSkipped(outcome)) return keep({ outcome, results: [], notices: [], faults: [] });
      return keep(await applyOrganization<PlannedOrganization>(outcome, subject, parts, decide));
    });
    return { environments: fleet.environments(), organizations };
  };
  return { plan, pass };
}

/** The results of organizations with clusters in view; sources before those who inherit from them. */
async function eachObserved<Result>(
  { subjects }: FleetView,
  signal: AbortSignal,
  act: (subject: Subject, seen: SeenOrganization) => Promise<Result>,
): Promise<Result[]> {
  const results = await inOrderOfInheritance(
    subjects,
    ORGANIZATIONS_AT_ONCE,
    async (subject) => {
      const seen = await subject.observe();
      return seen && { result: await act(subject, seen) };
    },
    signal,
  );
  return results.flatMap((each) => (each === undefined ? [] : [each.result]));
}

/** Histories of this pass that others inherit, for a pass that does not store them. */
function freshLedgers({ subjects }: FleetView) {
  const known = new Map<string, Ledger>();
  const inherited = new Set(
    subjects.flatMap(({ organization: { orgId }, network }) =>
      (network.inheritance.get(orgId)?.verified ?? []).map((source) => `${source.environment}/${source.orgId}`),
    ),
  );
  const keep = (outcome: OrganizationOutcome): void => {
    const scope = `${outcome.environment}/${outcome.orgId}`;
    if (!isSkipped(outcome) && inherited.has(scope)) known.set(scope, outcome.next.ledger);
  };
  return { known, keep };
}
