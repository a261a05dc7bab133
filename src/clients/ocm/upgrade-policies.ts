import * as z from 'zod';
import { type Creation, createOnce } from './create-once.ts';
import {
  flag,
  listRecords,
  type OcmList,
  type OcmProblem,
  type RecordKind,
  readRecord,
  required,
  searches,
  text,
  time,
} from './listing.ts';
import { CLUSTERS, isNotFound, OcmError, type OcmRefusal, segment, type Transport } from './transport.ts';

/** What an upgrade policy is for; each has a list of policies of its own. */
export type PolicyTarget =
  | { readonly kind: 'classic'; readonly clusterId: string }
  | { readonly kind: 'control-plane'; readonly clusterId: string }
  | { readonly kind: 'node-pool'; readonly clusterId: string; readonly nodePoolId: string };

interface PolicyState {
  /** `pending`, `scheduled`, `started`, `delayed`, `completed`, `failed`, `cancelled`, or one that came later. */
  readonly value: string;
}

interface UpgradePolicyRecord {
  readonly id: string;
  /** An automatic policy has none while there is nothing newer. */
  readonly version: string | undefined;
  /** `manual` or `automatic`. */
  readonly scheduleType: string | undefined;
  readonly nextRun: string | undefined;
  /** Undefined when it could not be read; then there is a problem that says so. */
  readonly state: PolicyState | undefined;
}

interface PolicyInput {
  readonly version: string;
  /** RFC 3339; OCM keeps whole seconds, and wants at least 5 minutes from now. */
  readonly nextRun: string;
}

type PolicyDeletion =
  | { readonly outcome: 'deleted' | 'absent' }
  /** Such as one that has started. */
  | { readonly outcome: 'refused'; readonly refusal: OcmRefusal };

export interface UpgradePolicyApi {
  /** With their states. With a problem among them, whatever it is for must count as busy. */
  listUpgradePolicies(target: PolicyTarget): Promise<OcmList<UpgradePolicyRecord>>;
  /** A manual policy. Sent once; one that may have arrived is read back and not sent again. */
  createUpgradePolicy(target: PolicyTarget, policy: PolicyInput): Promise<Creation<UpgradePolicyRecord>>;
  deleteUpgradePolicy(target: PolicyTarget, id: string): Promise<PolicyDeletion>;
}

const STATE: RecordKind<PolicyState> = { known: [], shape: z.object({ value: required }) };

const POLICY: RecordKind<UpgradePolicyRecord> = {
  known: ['version', 'schedule_type', 'next_run'],
  shape: z
    .object({ id: required, version: text, schedule_type: text, next_run: time, state: STATE.shape.nullish() })
    .transform((row) => ({
      ...{ id: row.id, version: row.version, scheduleType: row.schedule_type, nextRun: row.next_run },
      state: row.state ?? undefined,
    })),
};

export function upgradePolicyApi(transport: Transport): UpgradePolicyApi {
  const list = async (target: PolicyTarget): Promise<OcmList<UpgradePolicyRecord>> => {
    const found = await listRecords(transport, { ...POLICY, ...policiesOf(target) });
    return target.kind === 'classic' ? withStates(transport, target, found) : found;
  };
  return {
    listUpgradePolicies: list,
    createUpgradePolicy: (target, { version, nextRun }) => {
      const next_run = wholeSeconds(nextRun);
      const { path, name } = policiesOf(target);
      const request = { method: 'POST', path, collection: name, repeat: 'not-processed' } as const;
      const json = { version, schedule_type: 'manual', next_run, ...typeOf(target) };
      return createOnce(
        transport,
        async () => readRecord(transport.nameOf(request), POLICY, await transport.send({ ...request, json })),
        async () => (await list(target)).items.find((policy) => isFor(policy, version, next_run)),
      );
    },
    deleteUpgradePolicy: async (target, id) => {
      const { path, name } = policiesOf(target);
      const request = { method: 'DELETE', path: `${path}/${segment(id)}`, collection: name } as const;
      try {
        await transport.send({ ...request, repeat: 'any-failure' });
        return { outcome: 'deleted' };
      } catch (thrown) {
        if (isNotFound(thrown)) return { outcome: 'absent' };
        if (!(thrown instanceof OcmError) || thrown.code !== 'OCM_REFUSED' || !thrown.refusal) throw thrown;
        return { outcome: 'refused', refusal: thrown.refusal };
      }
    },
  };
}

function policiesOf(target: PolicyTarget): { path: string; name: string } {
  const cluster = `${CLUSTERS}/clusters/${segment(target.clusterId)}`;
  if (target.kind === 'classic') return { path: `${cluster}/upgrade_policies`, name: 'upgrade_policies' };
  if (target.kind === 'control-plane')
    return { path: `${cluster}/control_plane/upgrade_policies`, name: 'control_plane_upgrade_policies' };
  const path = `${cluster}/node_pools/${segment(target.nodePoolId)}/upgrade_policies`;
  return { path, name: 'node_pool_upgrade_policies' };
}

function typeOf(target: PolicyTarget) {
  if (target.kind === 'classic') return {};
  const cluster = { cluster_id: target.clusterId };
  if (target.kind === 'control-plane') return { upgrade_type: 'ControlPlane', ...cluster };
  return { upgrade_type: 'NodePool', ...cluster, node_pool_id: target.nodePoolId };
}

function isFor({ version, nextRun }: UpgradePolicyRecord, wanted: string, next_run: string): boolean {
  return version === wanted && nextRun !== undefined && Date.parse(nextRun) === Date.parse(next_run);
}

function wholeSeconds(time: string): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The state of a classic policy is a resource of its own; a policy without one any more is gone. */
async function withStates(
  transport: Transport,
  target: PolicyTarget,
  { items, problems }: OcmList<UpgradePolicyRecord>,
): Promise<OcmList<UpgradePolicyRecord>> {
  const found: OcmProblem[] = [];
  const states = items.map(async (policy) => {
    const path = `${policiesOf(target).path}/${segment(policy.id)}/state`;
    const request = { method: 'GET', path, collection: 'upgrade_policy_states' } as const;
    const endpoint = transport.nameOf(request);
    try {
      return { ...policy, state: readRecord(endpoint, STATE, await transport.send(request)) };
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined;
      if (!(thrown instanceof OcmError)) throw thrown;
      found.push({ endpoint, id: policy.id, known: {}, message: thrown.message });
      return policy;
    }
  });
  const policies = (await Promise.all(states)).filter((policy) => policy !== undefined);
  return { items: policies, problems: [...problems, ...found] };
}

interface VersionGateRecord {
  readonly id: string;
  /** The minor version that it stands before: `4.16`. */
  readonly versionPrefix: string;
  /** `api.openshift.com/gate-ocp` */
  readonly label: string;
  readonly stsOnly: boolean;
  readonly description: string | undefined;
  readonly documentationUrl: string | undefined;
}

interface GateAgreementRecord {
  readonly id: string;
  readonly gateId: string;
}

export interface GateApi {
  /** All, or those before these minor versions. */
  listVersionGates(versionPrefixes?: readonly string[]): Promise<OcmList<VersionGateRecord>>;
  listGateAgreements(clusterId: string): Promise<OcmList<GateAgreementRecord>>;
  createGateAgreement(clusterId: string, gateId: string): Promise<Creation<GateAgreementRecord>>;
}

const GATE: RecordKind<VersionGateRecord> = {
  known: ['label', 'version_raw_id_prefix'],
  shape: z
    .object({
      ...{ id: required, version_raw_id_prefix: required, label: required, sts_only: flag },
      ...{ description: text, documentation_url: text },
    })
    .transform((row) => ({
      ...{ id: row.id, versionPrefix: row.version_raw_id_prefix, label: row.label, stsOnly: row.sts_only },
      ...{ description: row.description, documentationUrl: row.documentation_url },
    })),
};

const AGREEMENT: RecordKind<GateAgreementRecord> = {
  known: ['version_gate.id', 'version_gate.label'],
  shape: z
    .object({ id: required, version_gate: z.object({ id: required }) })
    .transform((row) => ({ id: row.id, gateId: row.version_gate.id })),
};

export function gateApi(transport: Transport): GateApi {
  const agreementsOf = (clusterId: string) => ({
    path: `${CLUSTERS}/clusters/${segment(clusterId)}/gate_agreements`,
    name: 'gate_agreements',
  });
  const listGateAgreements: GateApi['listGateAgreements'] = (clusterId) =>
    listRecords(transport, { ...AGREEMENT, ...agreementsOf(clusterId) });
  return {
    listGateAgreements,
    listVersionGates: (versionPrefixes) => {
      const collection = { ...GATE, path: `${CLUSTERS}/version_gates`, name: 'version_gates' };
      const by = versionPrefixes && { field: 'version_raw_id_prefix', values: versionPrefixes };
      return listRecords(transport, { ...collection, orderBy: 'order' }, searches([], by));
    },
    createGateAgreement: (clusterId, gateId) => {
      const { path, name } = agreementsOf(clusterId);
      const request = { method: 'POST', path, collection: name, repeat: 'not-processed' } as const;
      const json = { version_gate: { id: gateId } };
      return createOnce(
        transport,
        async () => readRecord(transport.nameOf(request), AGREEMENT, await transport.send({ ...request, json })),
        async () => (await listGateAgreements(clusterId)).items.find((agreement) => agreement.gateId === gateId),
      );
    },
  };
}
