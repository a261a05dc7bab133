import * as z from 'zod';
import { type Creation, createOnce } from './create-once.ts';
import { flag, required, text } from './fields.ts';
import { listRecords, type OcmList, type RecordKind, readRecord } from './listing.ts';
import { CLUSTERS, segment } from './paths.ts';
import { searches } from './search.ts';
import type { Transport } from './transport.ts';

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
