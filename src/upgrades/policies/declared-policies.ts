import type { Organization } from '../../instance/index.ts';
import { type Labels, organizationKey } from './label-keys.ts';

/** What organization files say about the clusters of one OCM. */
export interface DeclaredPolicies {
  /** By id; all that are registered there, served or not. */
  readonly organizations: ReadonlyMap<string, Organization>;
  /** Who shares its history with whom, said as labels say it. */
  readonly sharing: ReadonlyMap<string, Labels>;
}

/** Of the environment whose file it is. Organizations of other environments may be named as sources of history. */
export function declaredPolicies(all: readonly Organization[], environment: string): DeclaredPolicies {
  const ids = new Map(all.map(({ file, orgId }) => [file, orgId]));
  const own = all.filter((organization) => organization.environment.file === environment);
  return {
    organizations: new Map(own.map((organization) => [organization.orgId, organization])),
    sharing: new Map(own.map((organization) => [organization.orgId, sharingOf(organization, ids)])),
  };
}

/** A file that is not there stays named by its path, so that it is told as one that publishes nothing. */
function sharingOf({ inheritVersionData, publishVersionData }: Organization, ids: ReadonlyMap<string, string>): Labels {
  const csv = (files: readonly string[]): string => files.map((file) => ids.get(file) ?? file).join();
  return {
    ...(inheritVersionData.length === 0 ? {} : { [organizationKey('inherit')]: csv(inheritVersionData) }),
    ...(publishVersionData.length === 0 ? {} : { [organizationKey('publish')]: csv(publishVersionData) }),
  };
}
