import { basename, dirname, resolve } from 'node:path';
import { defined } from '../../../base/index.ts';
import { type OverruleRequest, openOverrules, overruleListing } from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { InstanceFlags } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { type EditFlags, showEdits } from '../../output/edits.ts';
import { readFrom } from '../../read-instance.ts';
import { LOCAL_FILES } from '../pins/pin-ports.ts';

export type OverruleFlags = InstanceFlags &
  EditFlags &
  Omit<OverruleRequest, 'track' | 'action'> & { readonly rollouts?: string };

/** Adds a decision about a track to the file of rollouts. */
export async function overrule(
  io: Io,
  { track, action }: Pick<OverruleRequest, 'track' | 'action'>,
  flags: OverruleFlags,
): Promise<number> {
  const { image, digest, reason, until, for: length } = flags;
  const overrules = openOverrules({
    loadInstance: () => readFrom(io, flags),
    files: LOCAL_FILES,
    now: () => new Date(),
    ...defined({ file: givenFile(io, flags.rollouts) }),
  });
  const planned = await overrules.plan({ track, action, reason, ...defined({ image, digest, until, for: length }) });
  if (flags.dryRun !== true) overrules.apply(planned);
  const { edit, revision } = planned;
  await showEdits(io, flags, { edits: [edit], rows: overruleListing([planned.overrule]), revision });
  const how = flags.dryRun === true ? 'would be added; nothing was written' : `added to ${flags.rollouts ?? edit.file}`;
  io.stderr.write(`${action} ${how}\n`);
  return EXIT.ok;
}

function givenFile({ cwd }: Io, shown: string | undefined) {
  if (shown === undefined) return undefined;
  const path = resolve(cwd, shown);
  return { folder: dirname(path), name: basename(path), shown };
}
