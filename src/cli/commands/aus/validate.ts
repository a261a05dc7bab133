import { count } from '../../../base/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { API_VERSION, document } from '../../output/format.ts';
import { endlessUpgrades } from './endless-upgrades.ts';
import { findingsOf, otherOrganizations, writeFindings } from './findings.ts';
import { type AusFlags, openOcm } from './login.ts';
import { listMembers, organizationId, organizationLabels } from './organization.ts';

export interface AusValidateFlags extends AusFlags {
  readonly output: 'table' | 'json' | 'yaml';
}

/** Reads all labels of an organization as the scheduler does, and tells what is wrong. Exits 1 when there are errors. */
export async function ausValidate(io: Io, flags: AusValidateFlags, now = new Date()): Promise<number> {
  const { client } = openOcm(io, flags, { readOnly: true });
  const orgId = await organizationId(client, flags);
  const labels = await organizationLabels(client, orgId);
  const members = await listMembers(client, orgId);
  const others = await otherOrganizations(client, labels);
  const findings = findingsOf(orgId, labels, members, others, await endlessUpgrades(client, members, now));
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (flags.output === 'table') {
    writeFindings(io, findings, paintFor(io.stderr, io.env, flags.color));
    io.stdout.write(`${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}.\n`);
  } else {
    const head = { apiVersion: API_VERSION, kind: 'PolicyFindingList', orgId };
    io.stdout.write(await document(flags.output, { ...head, items: findings }));
  }
  return errors > 0 ? EXIT.failed : EXIT.ok;
}
