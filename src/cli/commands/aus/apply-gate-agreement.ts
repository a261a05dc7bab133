import { EchelonError } from '../../../base/index.ts';
import type { OcmClient } from '../../../clients/ocm/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { type GateRow, gateRows } from './gate-rows.ts';
import { type AusFlags, openOcm } from './login.ts';
import { listMembers, memberCalled, organizationId } from './organization.ts';
import { flagInvalid, type WriteFlags } from './write-labels.ts';

export interface GateAgreementFlags extends AusFlags, WriteFlags {
  readonly clusterName: string;
  readonly version: string;
}

/** Agrees to every version gate of a minor that stands before a cluster. */
export async function applyGateAgreement(io: Io, flags: GateAgreementFlags): Promise<number> {
  if (!/^\d+\.\d+$/.test(flags.version)) throw flagInvalid(`${flags.version} is no minor version`, 'write it as 4.19');
  const { client } = openOcm(io, flags, { readOnly: flags.dryRun === true });
  const members = await listMembers(client, await organizationId(client, flags));
  const rows = await gateRows(client, [memberCalled(members, flags.clusterName)], { minor: flags.version });
  if (rows.length === 0) io.stdout.write('Nothing to agree to.\n');
  for (const row of rows) {
    if (flags.dryRun !== true) await agree(client, row);
    io.stdout.write(`${row.cluster}: ${flags.dryRun === true ? 'would agree' : 'agreed'} to ${row.gate.label}\n`);
  }
  if (flags.dryRun === true) io.stderr.write('this is a dry run: nothing was changed\n');
  return EXIT.ok;
}

async function agree(client: OcmClient, { cluster, clusterId, gate }: GateRow): Promise<void> {
  const creation = await client.createGateAgreement(clusterId, gate.id);
  if (creation.outcome === 'created') return;
  throw new EchelonError({
    code: 'GATE_NOT_AGREED',
    message: `${cluster}: no agreement to ${gate.label}: ${creation.outcome === 'refused' ? creation.refusal.reason : creation.reason}`,
    hint: 'see echelon aus get gates, and run it again',
  });
}
