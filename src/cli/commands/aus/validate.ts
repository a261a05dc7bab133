import { count } from '../../../base/index.ts';
import type { PolicyFinding } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { API_VERSION } from '../../output/format.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';
import type { AusFormat } from './aus-format.ts';
import { type AusFlags, openAus } from './login.ts';
import { writeFindings } from './write-findings.ts';

export interface AusValidateFlags extends AusFlags {
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
  const { orgId, findings } = await openAus(io, flags, { readOnly: true }).service.validate(now);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const write = writerFor(WRITERS, flags.output, 'aus validate');
  await write(io, { orgId, findings, errors }, paintFor(io.stderr, io.env, flags.color));
  return errors > 0 ? EXIT.failed : EXIT.ok;
}
