import type { ForecastOrganization } from './forecast-organization.ts';

/** `environment/organization`. */
export function scopeOf({ environment, orgId }: { readonly environment: string; readonly orgId: string }): string {
  return `${environment}/${orgId}`;
}

/** Organizations that depend on each other by inheritance, directly or not; most stand alone. */
export function groupsOf(organizations: readonly ForecastOrganization[]): ForecastOrganization[][] {
  const byScope = new Map(organizations.map((organization) => [scopeOf(organization), organization]));
  const groups = new Map<ForecastOrganization, ForecastOrganization[]>(organizations.map((one) => [one, [one]]));
  for (const organization of organizations) {
    for (const source of organization.spec.inherit) {
      const other = byScope.get(scopeOf(source));
      if (other !== undefined) join(groups, organization, other);
    }
  }
  return [...new Set(groups.values())];
}

function join(
  groups: Map<ForecastOrganization, ForecastOrganization[]>,
  one: ForecastOrganization,
  other: ForecastOrganization,
): void {
  const [mine = [], theirs = []] = [groups.get(one), groups.get(other)];
  if (mine === theirs) return;
  const joined = [...mine, ...theirs];
  for (const member of joined) groups.set(member, joined);
}
