import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { line } from '../../output/terminal.ts';
import { type AusFlags, openAus } from './login.ts';
import { flagInvalid, type WriteFlags } from './write-labels.ts';

export interface GateAgreementFlags extends AusFlags, WriteFlags {
  readonly clusterName: string;
  readonly version: string;
}

/** Agrees to every version gate of a minor that applies to a cluster. */
export async function applyGateAgreement(io: Io, flags: GateAgreementFlags): Promise<number> {
  if (!/^\d+\.\d+$/.test(flags.version))
    throw flagInvalid(`${flags.version} is not a minor version`, 'use a minor version such as 4.19');
  const { service } = openAus(io, flags, { readOnly: flags.dryRun === true });
  const gates = await service.gatesBefore(flags.clusterName, flags.version);
  if (gates.length === 0) io.stdout.write('Nothing to agree to.\n');
  for (const each of gates) {
    if (flags.dryRun !== true) await service.agree(each);
    io.stdout.write(line(`${each.cluster}: ${flags.dryRun === true ? 'would agree' : 'agreed'} to ${each.gate.label}`));
  }
  if (flags.dryRun === true) io.stderr.write('this is a dry run: nothing was changed\n');
  return EXIT.ok;
}
