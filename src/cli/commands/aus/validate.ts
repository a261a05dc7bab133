import { count, defined } from '../../../base/index.ts';
import { type PolicyFinding, servedOrganizations } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { InstanceFlags } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { API_VERSION } from '../../output/format.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';
import type { AusFormat } from './aus-format.ts';
import { type AusFlags, openAus } from './login.ts';
import { writeFindings } from './write-findings.ts';

/** The configuration of the scheduler is optional: owners of an organization may not have it. */
export interface AusValidateFlags extends AusFlags, InstanceFlags {
  readonly configFile?: string;
  readonly output: AusFormat;
}

interface Findings {
  readonly orgId: string;
  readonly findings: readonly PolicyFinding[];
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

/** Reads all labels of an organization as the scheduler does, and reports problems. Exits 1 on errors. */
export async function ausValidate(io: Io, flags: AusValidateFlags, now = new Date()): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: true });
  const { orgId, findings } = await service.validate(now, await servedBy(io, flags));
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const write = writerFor(WRITERS, flags.output, 'aus validate');
  await write(io, { orgId, findings, errors }, paintFor(io.stderr, io.env, flags.color));
  return errors > 0 ? EXIT.failed : EXIT.ok;
}

async function servedBy(
  io: Io,
  { configFile, data, config }: AusValidateFlags,
): Promise<((orgId: string) => boolean) | undefined> {
  if (configFile === undefined && data === undefined) return undefined;
  const { upgradesPorts } = await import('../upgrades/ports.ts');
  const settings = defined({ configFile, data, config });
  const { isServed, notes } = await servedOrganizations(settings, upgradesPorts(io, settings, { readOnly: true }));
  for (const note of notes) io.stderr.write(line(`warning: ${note}`));
  return isServed;
}
