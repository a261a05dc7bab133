import { EchelonError } from '../../base/index.ts';
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
  readonly instance: Instance;
  readonly overrule: WrittenOverrule;
  readonly edit: FileEdit;
}

/** Adds decisions of users to the file of rollouts: the only assembly of that job. */
export interface Overrules {
  /** Writes nothing. */
  plan(request: OverruleRequest): Promise<PlannedOverrule>;
  apply(planned: PlannedOverrule): void;
}

export type OverrulePorts = Pick<PinPorts, 'files' | 'now'> & { readonly loadInstance: () => Promise<Instance> };

const FILE = `resources${ROLLOUTS_RESOURCE}`;

export function openOverrules({ loadInstance, files, now }: OverrulePorts): Overrules {
  return {
    plan: async (request) => {
      const instance = await loadInstance();
      const { origin, own } = instance.snapshot;
      requireDirectory(instance.snapshot, 'ROLLOUTS_SOURCE');
      if (!own.has(ROLLOUTS_RESOURCE)) throw noFile(origin);
      const before = files.read(origin, FILE);
      const overrule = newOverrule(rolloutsIn(FILE, before), request, instantOf(now().getTime()));
      return { instance, overrule, edit: { file: FILE, before, after: addOverrule(FILE, before, overrule) } };
    },
    apply: ({ instance, edit }) => files.replace(instance.snapshot.origin, [edit]),
  };
}

function noFile(origin: string): EchelonError {
  return new EchelonError({
    code: 'ROLLOUTS_MISSING',
    message: `${origin} has no ${FILE}`,
    hint: 'declare tracks there first, or pass another checkout with --data',
  });
}
