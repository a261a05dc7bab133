import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DeclaredFields, declaredIn, fileOf } from '../../../test/support/declared-organizations.ts';
import { holdsAsync } from '../../../test/support/property.ts';
import { type GivenOrganization, member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { defined, memoryStateStore } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { type World, worldApi } from '../../sim/index.ts';
import { DEFAULT_RULES, QONTRACT_RULES, type Rules } from '../engine/rules.ts';
import type { DeclaredPolicies } from '../policies/organization-file.ts';
import type { Site } from './ports.ts';
import { createScheduler } from './scheduler.ts';

const SECTORS = ['early', 'late'];

interface Policy {
  readonly soakDays: number;
  readonly workloads: readonly string[];
  readonly schedule: string;
  readonly mutexes?: readonly string[];
  readonly sector?: string;
  readonly blockedVersions?: readonly string[];
}

interface Wanted {
  readonly policies: readonly Policy[];
  readonly blockedVersions: readonly string[];
  readonly limit: string | undefined;
  readonly inherits: boolean;
}

const some = <T>(...values: T[]): fc.Arbitrary<T[]> => fc.subarray(values, { minLength: 1 });

const policy: fc.Arbitrary<Policy> = fc.record(
  {
    soakDays: fc.integer({ min: 0, max: 2 }),
    workloads: some('wl-a', 'wl-b'),
    schedule: fc.constantFrom('* * * * *', '0 12 * * *', '30 1-5 * * 1-5'),
    mutexes: some('m1', 'm2'),
    sector: fc.constantFrom(...SECTORS, 'early', 'late', 'not-declared'),
    blockedVersions: some('^4\\.18\\.3$', 'rc', '^4\\.19'),
  },
  { requiredKeys: ['soakDays', 'workloads', 'schedule'] },
);

const organizations: fc.Arbitrary<Wanted[]> = fc.array(
  fc.record({
    policies: fc.array(policy, { minLength: 1, maxLength: 5 }),
    blockedVersions: fc.subarray(['^4\\.18\\.2$', '^4\\.18\\.4$']),
    limit: fc.constantFrom(undefined, '1', '50%'),
    inherits: fc.boolean(),
  }),
  { minLength: 2, maxLength: 2 },
);

const idOf = (index: number): string => `org-${index}`;
const nameOf = (organization: number, index: number): string => `c${organization}-${index}`;
/** The second publishes to the first, whether that inherits or not. */
const SOURCE = 1;

function labelsOf(entries: Readonly<Record<string, string | number | undefined>>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function labelled(wanted: readonly Wanted[]): GivenOrganization[] {
  return wanted.map(({ policies, blockedVersions, limit, inherits }, index) => ({
    id: idOf(index),
    aus: labelsOf({
      'blocked-versions': blockedVersions.join() || undefined,
      'sector-deps.early': '',
      'sector-deps.late': 'early',
      'sector-max-parallel-upgrades.late': limit,
      'version-data.inherit': index !== SOURCE && inherits ? idOf(SOURCE) : undefined,
      'version-data.publish': index === SOURCE ? idOf(0) : undefined,
    }),
    clusters: policies.map(({ soakDays, workloads, mutexes, blockedVersions: blocked, ...rest }, at) =>
      member(
        nameOf(index, at),
        labelsOf({
          ...rest,
          ...{ 'soak-days': soakDays, workloads: workloads.join(), mutexes: mutexes?.join() },
          'blocked-versions': blocked?.join(),
        }),
      ),
    ),
  }));
}

/** The same clusters without a single label. */
function bare(wanted: readonly Wanted[]): GivenOrganization[] {
  return labelled(wanted).map(({ id, clusters }) => ({
    id,
    clusters: clusters.map(({ aus: _, ...cluster }) => cluster),
  }));
}

function files(wanted: readonly Wanted[]): DeclaredFields {
  const entries = wanted.map(({ policies, blockedVersions, limit, inherits }, index) => [
    idOf(index),
    {
      blockedVersions,
      sectors: [
        { name: 'early' },
        {
          name: 'late',
          dependencies: [{ name: 'early' }],
          ...defined({ maxParallelUpgrades: limit }),
        },
      ],
      ...(index !== SOURCE && inherits ? { inheritVersionData: [{ $ref: fileOf(idOf(SOURCE)) }] } : {}),
      ...(index === SOURCE ? { publishVersionData: [{ $ref: fileOf(idOf(0)) }] } : {}),
      upgradePolicyClusters: policies.map(({ workloads, schedule, ...conditions }, at) => ({
        name: nameOf(index, at),
        upgradePolicy: { workloads, schedule, conditions },
      })),
    },
  ]);
  return Object.fromEntries(entries) as DeclaredFields;
}

const HOURS = 60;
const STEP = 6;

/** What comes of every pass over three days: plans, what holds clusters back, and in the end the histories. */
async function life(world: World, rules: Rules, declared?: DeclaredPolicies): Promise<object[]> {
  const store = memoryStateStore();
  const api = worldApi(world);
  const site: Site = {
    name: world.environment,
    connect: async () => api,
    serves: (orgId) => ({ orgId: orgId as OrgId, healthChecks: [] }),
    health: new Map(),
    ...defined({ declared }),
  };
  const scheduler = createScheduler({ integration: 'i', store, rules, clock: world });
  const seen: object[] = [];
  for (let hour = 0; hour <= HOURS; hour += STEP) {
    world.advanceTo(minutes(hour * 60));
    const { environments, organizations: reports } = await scheduler.pass({ sites: [site] });
    seen.push({
      environments,
      plans: reports.map(({ outcome, results }) => ({
        org: outcome.orgId,
        results,
        ...('decision' in outcome
          ? {
              plan: outcome.decision.plan,
              explained: outcome.decision.verdicts,
              wrong: outcome.spec.problems.map(({ scope, severity, message }) => [scope, severity, message]),
            }
          : { skipped: outcome.skipped }),
      })),
    });
  }
  const states = await Promise.all([0, 1].map((index) => store.read(`i/${world.environment}/${idOf(index)}`)));
  return [...seen, states.map((state) => JSON.parse(new TextDecoder().decode(state?.value)) as object)];
}

/** What is wrong names where that was said, a label or a field of a file; and ids of policies are up to the world. */
function withoutKeys(lived: readonly object[]): unknown {
  const text = JSON.stringify(lived);
  return JSON.parse(
    text
      .replace(/("policyId":|"policy":|"checksum":)"[^"]*"/g, '$1""')
      .replace(/upgradePolicyClusters\[\d+\]\.upgradePolicy\.(?:conditions\.)?/g, 'sre-capabilities.aus.')
      .replace(/sre-capabilities\.aus\.blockedVersions/g, 'sre-capabilities.aus.blocked-versions'),
  );
}

describe('the same policies, in labels and in files', () => {
  it.each([
    { given: 'default', rules: DEFAULT_RULES },
    { given: 'qontract', rules: QONTRACT_RULES },
  ])('give the same plans by $given rules, pass after pass', async ({ rules }) => {
    let plans = 0;
    await holdsAsync(
      fc.asyncProperty(organizations, async (wanted) => {
        const fromLabels = await life(upgradeWorld(labelled(wanted)), rules);
        const fromFiles = await life(upgradeWorld(bare(wanted)), rules, declaredIn(files(wanted)));
        expect(withoutKeys(fromFiles)).toEqual(withoutKeys(fromLabels));
        plans += JSON.stringify(fromFiles).split('"outcome":"done"').length - 1;
      }),
      { numRuns: 15 },
    );
    expect(plans).toBeGreaterThan(0);
  });
});
