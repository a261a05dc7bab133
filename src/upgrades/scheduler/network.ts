import { type Inheritance, inheritanceNetwork, type Sharing } from '../policies/inheritance.ts';
import { type Labels, organizationKey, type Reading } from '../policies/label-keys.ts';
import { parseOrganizationLabels } from '../policies/labels.ts';
import type { Fault } from './fault.ts';

/** Labels of the organizations of one OCM; absent when they could never be read. */
export interface Neighbourhood {
  readonly environment: string;
  readonly organizationLabels?: ReadonlyMap<string, Labels>;
  /** Its organizations with unreadable labels. */
  readonly doubtful?: ReadonlySet<string>;
  /** An organization that is not among them may have labels. */
  readonly isPartial?: boolean;
}

/** Who may use whose history, over all environments. */
export interface Network {
  readonly inheritance: ReadonlyMap<string, Inheritance>;
  /** Why it is unknown whether an organization's sources publish to it. */
  faultOf(orgId: string): Fault | undefined;
}

export function networkOf(neighbourhoods: readonly Neighbourhood[], reading: Reading): Network {
  const sharing = new Map<string, Sharing>();
  for (const { environment, organizationLabels = new Map<string, Labels>() } of neighbourhoods) {
    for (const [orgId, labels] of organizationLabels) {
      if (!shares(labels)) continue;
      const { inherit, publish } = parseOrganizationLabels(labels, reading);
      sharing.set(orgId, { environment, inherit, publish });
    }
  }
  const blind = neighbourhoods.flatMap(({ environment, organizationLabels, isPartial = false }) =>
    organizationLabels === undefined || isPartial ? [environment] : [],
  );
  const doubtful = new Set(neighbourhoods.flatMap((each) => [...(each.doubtful ?? [])]));
  const inheritance = inheritanceNetwork(sharing);
  return {
    inheritance,
    faultOf: (orgId) => {
      const unverified = inheritance.get(orgId)?.unverified.map((source) => source.orgId) ?? [];
      if (unverified.some((source) => doubtful.has(source))) return sharingUnknown(['their labels']);
      return unverified.some((source) => !sharing.has(source)) && blind.length > 0 ? sharingUnknown(blind) : undefined;
    },
  };
}

/** Whether some of these organizations inherit from one that is not among them. */
export function namesStrangers(
  organizations: ReadonlyMap<string, Labels>,
  served: readonly string[],
  reading: Reading,
): boolean {
  return served.some((orgId) => {
    const labels = organizations.get(orgId);
    if (labels?.[organizationKey('inherit')] === undefined) return false;
    return parseOrganizationLabels(labels, reading).inherit.some((source) => !organizations.has(source));
  });
}

function shares(labels: Labels): boolean {
  return labels[organizationKey('inherit')] !== undefined || labels[organizationKey('publish')] !== undefined;
}

function sharingUnknown(missing: readonly string[]): Fault {
  return {
    code: 'INHERITANCE_UNKNOWN',
    message: `unknown whether its sources publish their history: cannot read ${missing.join(', ')}`,
    hint: 'fix the other errors; the organization waits until then',
  };
}
