import type { Organization } from '../../instance/index.ts';
import { type Labels, organizationKey } from './label-keys.ts';

/** Policies that organization files declare for the clusters of one OCM. */
export interface DeclaredPolicies {
  /** By id; all registered organizations, served or not. */
  readonly organizations: ReadonlyMap<string, Organization>;
  /** Who shares history with whom, in label form. */
  readonly sharing: ReadonlyMap<string, Labels>;
}

/** For the environment of the given file. Organizations of other environments may be history sources. */
export function declaredPolicies(all: readonly Organization[], environment: string): DeclaredPolicies {
  const ids = new Map(all.map(({ file, orgId }) => [file, orgId]));
  const own = all.filter((organization) => organization.environment.file === environment);
  return {
    organizations: new Map(own.map((organization) => [organization.orgId, organization])),
    sharing: new Map(own.map((organization) => [organization.orgId, sharingOf(organization, ids)])),
  };
}

/** A missing file keeps its path as name, so that it is reported as one that publishes nothing. */
function sharingOf({ inheritVersionData, publishVersionData }: Organization, ids: ReadonlyMap<string, string>): Labels {
  const csv = (files: readonly string[]): string => files.map((file) => ids.get(file) ?? file).join();
  return {
    ...(inheritVersionData.length === 0 ? {} : { [organizationKey('inherit')]: csv(inheritVersionData) }),
    ...(publishVersionData.length === 0 ? {} : { [organizationKey('publish')]: csv(publishVersionData) }),
  };
}
