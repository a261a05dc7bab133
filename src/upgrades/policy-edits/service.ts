import { defined, EchelonError } from '../../base/index.ts';
import { parseClusterLabels } from '../policies/labels.ts';
import { type ClosedGate, gatesBefore } from './agreements.ts';
import {
  type ChangeFindings,
  changeFindings,
  findingsOf,
  otherOrganizations,
  type PolicyFinding,
  refuseErrors,
} from './findings.ts';
import {
  editFaults,
  labelDiff,
  labelsAfter,
  type OwnerChanges,
  type WrittenLabels,
  writeLabels,
} from './label-changes.ts';
import { listMembers, memberCalled, organizationId, organizationLabels, type PolicyApi } from './members.ts';
import { editedJson, listIn, type OrganizationEdit, ownSectors, type SectorJson } from './organization.ts';
import { membersAfter, type PolicyJson, policyChanges, policyDeletion, policyJson } from './policies.ts';
import { type ConfiguredOrganization, organizationStatus } from './status.ts';
import { endlessUpgrades } from './stuck-clusters.ts';

/** Label changes, and the problems that concern them. */
export interface LabelPlan {
  readonly owners: readonly OwnerChanges[];
  readonly findings: ChangeFindings;
}

/** Reads and edits the upgrade policies of one organization, which are labels of OCM. Only `apply` and `agree` write. */
export interface PolicyService {
  /** In the shape that `planPolicies` takes; clusters with an invalid policy are listed. */
  policies(): Promise<{ readonly policies: readonly PolicyJson[]; readonly invalid: readonly string[] }>;
  /** Version patterns that the organization blocks. */
  versionBlocks(): Promise<readonly string[]>;
  /** Times without upgrades of the whole organization. */
  freezes(): Promise<readonly string[]>;
  sectors(): Promise<readonly SectorJson[]>;
  /** Version gates of clusters that lack an agreement. */
  closedGates(): Promise<readonly ClosedGate[]>;
  /** With `all` also clusters without a label. */
  status(all: boolean): Promise<{ readonly orgId: string; readonly name: string } & ConfiguredOrganization>;
  /** All problems in all labels, as the scheduler reads them; `isServed` is known from its configuration. */
  validate(
    now: Date,
    isServed?: (orgId: string) => boolean,
  ): Promise<{ readonly orgId: string; readonly findings: readonly PolicyFinding[] }>;
  planPolicies(policies: readonly PolicyJson[]): Promise<LabelPlan>;
  planDeletion(cluster: string): Promise<LabelPlan>;
  /** Refuses what the scheduler would not accept, unless it was there before. */
  planOrganization(edit: OrganizationEdit): Promise<LabelPlan>;
  /** The result of an edit of the current labels, in file format. */
  editedJson(edit: OrganizationEdit): Promise<object>;
  apply(plan: LabelPlan): Promise<WrittenLabels>;
  /** Gates of a minor that apply to a cluster. */
  gatesBefore(cluster: string, minor: string): Promise<readonly ClosedGate[]>;
  agree(gate: ClosedGate): Promise<void>;
}

const NOTHING_WRONG: ChangeFindings = { shown: [], others: 0 };

/** The given organization, else that of the login. */
export function openPolicies(api: PolicyApi, named: string | undefined): PolicyService {
  const orgId = (): Promise<string> => organizationId(api, named);
  const members = async () => listMembers(api, await orgId());
  const labels = async () => organizationLabels(api, await orgId());
  return {
    policies: async () => validPolicies(await members()),
    versionBlocks: async () => listIn('blockedVersions', await labels()),
    freezes: async () => listIn('freezes', await labels()),
    sectors: async () => ownSectors(await labels()),
    closedGates: async () => {
      const id = await orgId();
      const blocked = listIn('blockedVersions', await organizationLabels(api, id));
      return gatesBefore(api, await listMembers(api, id), { blocked });
    },
    status: async (all) => {
      const id = await orgId();
      const own = await organizationLabels(api, id);
      const clusters = await listMembers(api, id);
      const shown = clusters.filter((member) => all || Object.keys(member.labels).length > 0);
      const { items } = await api.listOrganizations({ by: { field: 'id', values: [id] } });
      return { orgId: id, name: items[0]?.name ?? '-', ...organizationStatus(own, shown) };
    },
    validate: async (now, isServed) => {
      const id = await orgId();
      const own = await organizationLabels(api, id);
      const clusters = await listMembers(api, id);
      const others = await otherOrganizations(api, own);
      const endless = await endlessUpgrades(api, clusters, now);
      return { orgId: id, findings: findingsOf(id, own, clusters, others, { endless, ...defined({ isServed }) }) };
    },
    planPolicies: async (policies) => {
      const id = await orgId();
      const before = await listMembers(api, id);
      const owners = policyChanges(before, policies);
      const own = await organizationLabels(api, id);
      const others = await otherOrganizations(api, own);
      const [was, will] = [before, membersAfter(before, owners)].map((each) => findingsOf(id, own, each, others));
      return { owners, findings: changeFindings(was ?? [], will ?? []) };
    },
    planDeletion: async (cluster) => {
      const owners = [policyDeletion(memberCalled(await members(), cluster))];
      return { owners, findings: NOTHING_WRONG };
    },
    planOrganization: async ({ managed, edit }) => {
      const id = await orgId();
      const current = await organizationLabels(api, id);
      const changes = labelDiff(current, edit(current).labels, managed);
      const after = labelsAfter(current, changes);
      refuseErrors(`organization ${id}`, editFaults(current, changes));
      const clusters = await listMembers(api, id);
      const others = await otherOrganizations(api, after);
      const [was, will] = [current, after].map((own) => findingsOf(id, own, clusters, others));
      const owners = [{ owner: { kind: 'organization', id } as const, title: `organization ${id}`, changes }];
      return { owners, findings: changeFindings(was ?? [], will ?? [], managed) };
    },
    editedJson: async (edit) => editedJson(edit, await labels()),
    apply: ({ owners }) => writeLabels(api, owners),
    gatesBefore: async (cluster, minor) => gatesBefore(api, [memberCalled(await members(), cluster)], { minor }),
    agree: (gate) => agree(api, gate),
  };
}

type Members = Awaited<ReturnType<typeof listMembers>>;

function validPolicies(members: Members): Awaited<ReturnType<PolicyService['policies']>> {
  const isShared = (name: string): boolean => members.filter(({ calls }) => calls.includes(name)).length > 1;
  const policies: PolicyJson[] = [];
  const invalid: string[] = [];
  for (const { name, labels, subscriptionId } of members) {
    if (Object.keys(labels).length === 0) continue;
    const { policy } = parseClusterLabels(labels, { strict: true });
    if (policy === undefined) invalid.push(name);
    else policies.push(policyJson(name, policy, isShared(name) ? subscriptionId : undefined));
  }
  return { policies, invalid };
}

async function agree(api: PolicyApi, { cluster, clusterId, gate }: ClosedGate): Promise<void> {
  const creation = await api.createGateAgreement(clusterId, gate.id);
  if (creation.outcome === 'created') return;
  throw new EchelonError({
    code: 'GATE_NOT_AGREED',
    message: `${cluster}: cannot agree to ${gate.label}: ${creation.outcome === 'refused' ? creation.refusal.reason : creation.reason}`,
    hint: 'check with: echelon aus get gates, then run it again',
  });
}
