import { defined } from '../../../base/index.ts';
import type { OcmClient } from '../../../clients/ocm/index.ts';
import {
  isPolicyKey,
  labelDiff,
  labelsAfter,
  normalizedPolicy,
  type PolicyJson,
  policiesShape,
  policyLabels,
} from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { document } from '../../output/format.ts';
import { findingsOf, otherOrganizations, refuseErrors, warnOfChange } from './findings.ts';
import { type InputFlags, type ReadStdin, readInput, refuseBeside } from './input.ts';
import { type AusFlags, openOcm } from './login.ts';
import { listMembers, type Member, memberCalled, organizationId, organizationLabels } from './organization.ts';
import { flagInvalid, type OwnerChanges, type WriteFlags, writeLabels } from './write-labels.ts';

export interface ApplyPoliciesFlags extends AusFlags, WriteFlags, InputFlags {
  readonly clusterName?: string;
  readonly schedule?: string;
  readonly workload?: readonly string[];
  readonly soakDays: number;
  readonly sector?: string;
  readonly mutex?: readonly string[];
  readonly blockedVersions?: readonly string[];
  readonly dump?: boolean;
}

/** Makes the labels of clusters say what the policies say. Labels that are not about policies stay as they are. */
export async function applyPolicies(io: Io, flags: ApplyPoliciesFlags, stdin: ReadStdin): Promise<number> {
  refuseBeside(flags, {
    ...{ '--cluster-name': flags.clusterName, '--schedule': flags.schedule, '--workload': flags.workload },
    ...{ '--sector': flags.sector, '--mutex': flags.mutex, '--blocked-versions': flags.blockedVersions },
    '--soak-days': flags.soakDays === 0 ? undefined : flags.soakDays,
  });
  const policies = (await readInput(io, flags, policiesShape, stdin)) ?? [policyOfFlags(flags)];
  for (const policy of policies) refuseErrors(`the policy of ${policy.name}`, policyLabels(policy).faults);
  refuseTwice(policies.map(({ name, subscription_id }) => ({ id: subscription_id ?? name, called: name })));
  if (flags.dump === true) {
    io.stdout.write(
      await document(
        'json',
        policies.map((policy) => normalizedPolicy(policy) ?? policy),
      ),
    );
    return EXIT.ok;
  }
  const { client } = openOcm(io, flags, { readOnly: flags.dryRun === true });
  const orgId = await organizationId(client, flags);
  const members = await listMembers(client, orgId);
  const changed = policies.map((policy) => ({ member: memberOf(members, policy), policy }));
  refuseTwice(changed.map(({ member }) => ({ id: member.subscriptionId, called: member.name })));
  const owners = changed.map(({ member, policy }) => changesOf(member, policy));
  await warn(io, flags, { client, orgId }, [members, after(members, owners)]);
  return writeLabels(io, client, owners, flags);
}

function policyOfFlags({ clusterName, schedule, workload = [], ...flags }: ApplyPoliciesFlags): PolicyJson {
  if (clusterName === undefined) throw flagInvalid('--cluster-name is missing', 'name the cluster, or use - or -f');
  if (schedule === undefined) throw flagInvalid('--schedule is missing', 'write a cron schedule in UTC, or weekdays');
  const { blockedVersions = [], mutex = [], sector } = flags;
  return {
    conditions: {
      ...{ blocked_versions: [...blockedVersions], mutexes: [...mutex], soak_days: flags.soakDays },
      ...defined({ sector }),
    },
    ...{ name: clusterName, schedule, workloads: [...workload] },
  };
}

/** A cluster may be named by name, id or subscription, which are one only once OCM was asked. */
function refuseTwice(clusters: readonly { readonly id: string; readonly called: string }[]): void {
  const ids = clusters.map(({ id }) => id);
  const twice = clusters.find(({ id }, index) => ids.indexOf(id) !== index)?.called;
  if (twice === undefined) return;
  const hint = 'leave one of them';
  refuseErrors('the file', [{ severity: 'error', key: twice, message: 'there are two policies of it', hint }]);
}

function memberOf(members: readonly Member[], { name, subscription_id }: PolicyJson): Member {
  return memberCalled(members, subscription_id ?? name);
}

function changesOf({ name, subscriptionId, labels }: Member, policy: PolicyJson): OwnerChanges {
  const changes = labelDiff(labels, policyLabels(policy).labels, isPolicyKey);
  return { owner: { kind: 'subscription', id: subscriptionId }, title: `cluster ${name}`, changes };
}

function after(members: readonly Member[], owners: readonly OwnerChanges[]): Member[] {
  const changes = new Map(owners.map(({ owner, changes: own }) => [owner.id, own]));
  return members.map((member) => ({
    ...member,
    labels: labelsAfter(member.labels, changes.get(member.subscriptionId) ?? []),
  }));
}

/** Tells what would be wrong with the organization then; sectors may well be declared after the clusters in them. */
async function warn(
  io: Io,
  flags: AusFlags,
  { client, orgId }: { readonly client: OcmClient; readonly orgId: string },
  states: readonly (readonly Member[])[],
): Promise<void> {
  const labels = await organizationLabels(client, orgId);
  const others = await otherOrganizations(client, labels);
  const [was = [], will = []] = states.map((members) => findingsOf(orgId, labels, members, others));
  warnOfChange(io, was, will, paintFor(io.stderr, io.env, flags.color));
}
