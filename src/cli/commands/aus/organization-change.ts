import { type Labels, labelDiff, labelsAfter, parseOrganizationLabels } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { document } from '../../output/format.ts';
import { findingsOf, otherOrganizations, refuseErrors, warnOfChange } from './findings.ts';
import { type AusFlags, openOcm } from './login.ts';
import { listMembers, organizationId, organizationLabels } from './organization.ts';
import { type WriteFlags, writeLabels } from './write-labels.ts';

export interface OrganizationFlags extends AusFlags, WriteFlags {
  readonly replace?: boolean;
  readonly dump?: boolean;
}

/** What an edit makes of the labels of an organization. */
export interface Edited {
  /** As a file has it. */
  readonly json: object;
  readonly labels: Labels;
}

/** Edits labels of an organization: those that are managed, no others. Nothing is written that the scheduler would refuse. */
export async function changeOrganization(
  io: Io,
  flags: OrganizationFlags,
  managed: (key: string) => boolean,
  edit: (current: Labels) => Edited,
): Promise<number> {
  if (flags.dump === true && flags.replace === true) return dump(io, edit({}));
  const readOnly = flags.dryRun === true || flags.dump === true;
  const { client } = openOcm(io, flags, { readOnly });
  const orgId = await organizationId(client, flags);
  const current = await organizationLabels(client, orgId);
  const edited = edit(current);
  if (flags.dump === true) return dump(io, edited);
  const changes = labelDiff(current, edited.labels, managed);
  const after = labelsAfter(current, changes);
  const faults = parseOrganizationLabels(after, { strict: true }).faults.filter(({ key }) => managed(key));
  refuseErrors(`organization ${orgId}`, faults);
  const members = await listMembers(client, orgId);
  const others = await otherOrganizations(client, after);
  const [was, will] = [current, after].map((labels) => findingsOf(orgId, labels, members, others));
  warnOfChange(io, was ?? [], will ?? [], paintFor(io.stderr, io.env, flags.color));
  const owner = { kind: 'organization', id: orgId } as const;
  return writeLabels(io, client, [{ owner, title: `organization ${orgId}`, changes }], flags);
}

async function dump(io: Io, { json, labels }: Edited): Promise<number> {
  refuseErrors('this', parseOrganizationLabels(labels, { strict: true }).faults);
  io.stdout.write(await document('json', json));
  return EXIT.ok;
}
