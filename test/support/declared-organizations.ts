import { type Organization, readInstance } from '../../src/instance/index.ts';
import { type DeclaredPolicies, declaredPolicies } from '../../src/upgrades/policies/organization-file.ts';
import { handMadeSnapshot, ocmEnvironment, organization } from './hand-made-snapshot.ts';

/** Fields of an organization file, by the id of the organization, which is also the name of its file. */
export type DeclaredFields = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export const fileOf = (orgId: string): string => `/orgs/${orgId}.yml`;
const ENVIRONMENT = '/ocm/test.yml';

/** Organizations of one environment, read from files. */
export function declaredOrganizations(fields: DeclaredFields): readonly Organization[] {
  const files = Object.entries(fields).map(([orgId, more]) => [
    fileOf(orgId),
    organization(orgId, ENVIRONMENT, { orgId, ...more }),
  ]);
  const instance = readInstance(
    handMadeSnapshot({ [ENVIRONMENT]: ocmEnvironment('test'), ...Object.fromEntries(files) }),
  );
  if (instance.organizations.length < files.length) throw new Error(JSON.stringify(instance.findings));
  return instance.organizations;
}

export function declaredIn(fields: DeclaredFields): DeclaredPolicies {
  return declaredPolicies(declaredOrganizations(fields), ENVIRONMENT);
}

/** An entry of `upgradePolicyClusters` that takes everything at any time. */
export function entry(name: string, conditions: object = {}, more: object = {}): object {
  return {
    name,
    upgradePolicy: { schedule: '* * * * *', workloads: ['wl'], conditions: { soakDays: 0, ...conditions }, ...more },
  };
}
