import { count } from '../../../base/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { API_VERSION } from '../../output/format.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';
import type { AusFormat } from './aus-format.ts';
import { endlessUpgrades } from './endless-upgrades.ts';
import { type Finding, findingsOf, otherOrganizations, writeFindings } from './findings.ts';
import { type AusFlags, openOcm } from './login.ts';
import { listMembers, organizationId, organizationLabels } from './organization.ts';

export interface AusValidateFlags extends AusFlags {
  readonly output: AusFormat;
}

interface Findings {
  readonly orgId: string;
  readonly findings: readonly Finding[];
  readonly errors: number;
}

const WRITERS: Writers<Findings, AusFormat> = {
  table: (io, { findings, errors }, paint) => {
    writeFindings(io, findings, paint);
    io.stdout.write(`${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}.\n`);
  },
  ...documentWriters(({ orgId, findings }: Findings) => ({
    apiVersion: API_VERSION,
    kind: 'PolicyFindingList',
    orgId,
    items: findings,
  })),
};

/** Reads all labels of an organization as the scheduler does, and tells what is wrong. Exits 1 when there are errors. */
export async function ausValidate(io: Io, flags: AusValidateFlags, now = new Date()): Promise<number> {
  const { client } = openOcm(io, flags, { readOnly: true });
  const orgId = await organizationId(client, flags);
  const labels = await organizationLabels(client, orgId);
  const members = await listMembers(client, orgId);
  const others = await otherOrganizations(client, labels);
  const findings = findingsOf(orgId, labels, members, others, await endlessUpgrades(client, members, now));
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const write = writerFor(WRITERS, flags.output, 'aus validate');
  await write(io, { orgId, findings, errors }, paintFor(io.stderr, io.env, flags.color));
  return errors > 0 ? EXIT.failed : EXIT.ok;
}
