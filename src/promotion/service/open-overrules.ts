import { EchelonError, messageOf, sha256Of } from '../../base/index.ts';
import { instantOf } from '../../gates/index.ts';
import type { Instance } from '../../instance/index.ts';
import { ROLLOUTS_RESOURCE } from '../../rollouts/index.ts';
import { addOverrule, rolloutsIn } from '../overrules/add-overrule.ts';
import { newOverrule, type OverruleRequest, type WrittenOverrule } from '../overrules/new-overrule.ts';
import type { FileEdit } from '../plan/plan-edits.ts';
import type { PinPorts } from './pin-ports.ts';
import { requireDirectory } from './require-directory.ts';

/** A planned overrule and the file that it is added to. */
export interface PlannedOverrule {
  readonly folder: string;
  /** Of the instance, or the hash of a file that is not in one. */
  readonly revision: string;
  readonly overrule: WrittenOverrule;
  readonly edit: FileEdit;
}

/** Adds decisions of users to the file of rollouts: the only assembly of that job. */
export interface Overrules {
  /** Writes nothing. */
  plan(request: OverruleRequest): Promise<PlannedOverrule>;
  apply(planned: PlannedOverrule): void;
}

export interface OverrulePorts extends Pick<PinPorts, 'files' | 'now' | 'loadInstance'> {
  /** Another file than that of the instance, which is not read then. */
  readonly file?: GivenFile;
}

interface GivenFile {
  readonly folder: string;
  readonly name: string;
  /** As the user named it. */
  readonly shown: string;
  readonly revision?: string;
}

const FILE = `resources${ROLLOUTS_RESOURCE}`;

export function openOverrules({ loadInstance, files, now, file }: OverrulePorts): Overrules {
  return {
    plan: async (request) => {
      const { folder, name, shown, revision } = file ?? fileIn(await loadInstance());
      const before = bytesOf(files, folder, name, shown);
      const overrule = newOverrule(rolloutsIn(shown, before), request, instantOf(now().getTime()));
      const edit = { file: name, before, after: addOverrule(shown, before, overrule) };
      return { folder, revision: revision ?? sha256Of(Buffer.from(before).toString()), overrule, edit };
    },
    apply: ({ folder, edit }) => files.replace(folder, [edit]),
  };
}

function fileIn({ snapshot }: Instance): GivenFile {
  const { origin, echelonFiles, revision } = snapshot;
  requireDirectory(snapshot, 'ROLLOUTS_SOURCE');
  if (!echelonFiles.has(ROLLOUTS_RESOURCE)) throw noFile(origin);
  return { folder: origin, name: FILE, shown: FILE, revision: revision.id };
}

function bytesOf(files: PinPorts['files'], folder: string, name: string, shown: string): Uint8Array {
  try {
    return files.read(folder, name);
  } catch (thrown) {
    const message = `cannot read ${shown}: ${messageOf(thrown)}`;
    throw new EchelonError({ code: 'ROLLOUTS_UNREADABLE', message, hint: 'pass a readable file with --rollouts' });
  }
}

function noFile(origin: string): EchelonError {
  return new EchelonError({
    code: 'ROLLOUTS_MISSING',
    message: `${origin} has no ${FILE}`,
    hint: 'declare tracks there first, or pass another checkout with --data',
  });
}
