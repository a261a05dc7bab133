import { describe, expect, it } from 'vitest';
import { declaredOrganizations, entry, fileOf } from '../../../test/support/declared-organizations.ts';
import { member, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { memoryStateStore } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { worldApi } from '../../sim/index.ts';
import { DEFAULT_RULES } from '../engine/rules.ts';
import { declaredPolicies } from '../policies/organization-file.ts';
import type { Site } from './ports.ts';
import { createScheduler } from './scheduler.ts';

const ELSEWHERE = '/ocm/elsewhere.yml';

/** What is said of an organization that inherits from one of another environment, where nobody can log in. */
async function problems(publishes: boolean): Promise<string[]> {
  const all = declaredOrganizations({
    'org-1': { upgradePolicyClusters: [entry('a')], inheritVersionData: [{ $ref: fileOf('org-2') }] },
    'org-2': publishes ? { publishVersionData: [{ $ref: fileOf('org-1') }] } : {},
  }).map((organization) =>
    organization.orgId === 'org-1'
      ? organization
      : { ...organization, environment: { ...organization.environment, file: ELSEWHERE } },
  );
  const world = upgradeWorld([{ id: 'org-1', clusters: [member('a')] }]);
  const site = (name: string, environment: string, connect: Site['connect']): Site => ({
    ...{ name, connect, health: new Map(), declared: declaredPolicies(all, environment) },
    serves: (orgId) => ({ orgId: orgId as OrgId, healthChecks: [] }),
  });
  const own = site('test', all[0]?.environment.file ?? '', async () => worldApi(world));
  const neighbour = site('elsewhere', ELSEWHERE, () => Promise.reject(new Error('nobody can log in')));
  const scheduler = createScheduler({
    ...{ integration: 'i', store: memoryStateStore(), rules: DEFAULT_RULES, clock: world },
  });
  const { organizations } = await scheduler.pass({ sites: [own], neighbours: [neighbour] });
  return organizations.flatMap(({ outcome }) =>
    'spec' in outcome ? outcome.spec.problems.map(({ key }) => key) : outcome.skipped.map(({ code }) => code),
  );
}

describe('an organization of another environment', () => {
  it.each([
    { publishes: true, wrong: [] },
    { publishes: false, wrong: ['inheritVersionData'] },
  ])('whose file publishes its history: $publishes, is known without asking its OCM', async ({ publishes, wrong }) => {
    expect(await problems(publishes)).toEqual(wrong);
  });
});
