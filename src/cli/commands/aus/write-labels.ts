import { count, EchelonError } from '../../../base/index.ts';
import type { LabelOwner, OcmClient } from '../../../clients/ocm/index.ts';
import type { LabelChange } from '../../../upgrades/index.ts';
import { consent } from '../../consent.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../output/colour.ts';
import { visible } from '../../output/table.ts';

export interface WriteFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly color?: boolean;
}

/** What is to change of one cluster, or of the organization. */
export interface OwnerChanges {
  readonly owner: LabelOwner;
  /** `cluster prod-1`, `organization 2Q0a…` */
  readonly title: string;
  readonly changes: readonly LabelChange[];
}

/** Shows the labels that change, and then writes them. A dry run shows them only. Nothing to change is nothing to write. */
export async function writeLabels(
  io: Io,
  client: OcmClient,
  owners: readonly OwnerChanges[],
  flags: WriteFlags,
): Promise<number> {
  const paint = paintFor(io.stdout, io.env, flags.color);
  const changed = owners.filter(({ changes }) => changes.length > 0);
  const total = changed.reduce((sum, { changes }) => sum + changes.length, 0);
  for (const { title, changes } of changed) io.stdout.write(diffText(title, changes, paint));
  if (total === 0) {
    io.stdout.write('Nothing to change.\n');
    return EXIT.ok;
  }
  if (flags.dryRun === true) {
    io.stderr.write('this is a dry run: nothing was changed\n');
    return EXIT.ok;
  }
  // Scripts go on, as they do with the existing plugin.
  const question = { question: `Change ${count(total, 'label')}`, yes: flags.yes, unattended: 'proceed' } as const;
  if (!(await consent(io, question))) return EXIT.failed;
  await writeAll(io, client, changed, total);
  io.stdout.write(`Done: ${count(total, 'label')} changed.\n`);
  return EXIT.ok;
}

/** One after the other; where one fails, the rest waits for the next time, which does only what is left. */
async function writeAll(io: Io, client: OcmClient, owners: readonly OwnerChanges[], total: number): Promise<void> {
  let done = 0;
  let last = '';
  try {
    for (const { owner, title, changes } of owners) {
      for (const change of changes) {
        await write(client, owner, change);
        done += 1;
        last = `${change.key} of ${title}`;
      }
    }
  } catch (thrown) {
    const upTo = done === 0 ? '' : `, the last one ${last}`;
    io.stderr.write(`${done} of ${count(total, 'label')} changed${upTo}; apply it again for the rest\n`);
    throw thrown;
  }
}

async function write(client: OcmClient, owner: LabelOwner, change: LabelChange): Promise<void> {
  if (change.action === 'remove') await client.deleteLabel(owner, change.key);
  else if (change.action === 'add') await client.createLabel(owner, { key: change.key, value: change.to });
  else await client.updateLabel(owner, { key: change.key, value: change.to });
}

function diffText(title: string, changes: readonly LabelChange[], paint: Paint): string {
  const lines = changes.flatMap((change) => [
    ...('from' in change ? [paint('red', visible(`  - ${change.key}=${change.from}`))] : []),
    ...('to' in change ? [paint('green', visible(`  + ${change.key}=${change.to}`))] : []),
  ]);
  return `${[paint('bold', `${visible(title)}:`), ...lines].join('\n')}\n`;
}

export function flagInvalid(message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'FLAG_INVALID', message, hint });
}
