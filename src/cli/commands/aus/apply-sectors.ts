import {
  parseDependencies,
  parseLimit,
  type SectorEdit,
  type SectorJson,
  sectorsEdit,
  sectorsShape,
} from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { type InputFlags, type ReadStdin, readInput, refuseBeside } from './input.ts';
import { changeOrganization, type OrganizationFlags } from './organization-change.ts';
import { flagInvalid } from './write-labels.ts';

export interface ApplySectorsFlags extends OrganizationFlags, InputFlags {
  readonly addDep?: readonly string[];
  readonly removeDep?: readonly string[];
  readonly sectorMaxParallelUpgrades?: readonly string[];
}

/** Sets the sectors of an organization, their dependencies, and how many of their clusters upgrade at once. */
export async function applySectors(io: Io, flags: ApplySectorsFlags, stdin: ReadStdin): Promise<number> {
  refuseBeside(flags, {
    ...{ '--add-dep': flags.addDep, '--remove-dep': flags.removeDep },
    '--sector-max-parallel-upgrades': flags.sectorMaxParallelUpgrades,
  });
  const given = await readInput(io, flags, sectorsShape, stdin);
  const edit = given === undefined ? editOfFlags(flags) : { add: given, remove: [], replace: flags.replace === true };
  if (given === undefined && edit.add.length === 0 && edit.remove.length === 0) {
    const hint = 'use --add-dep, --remove-dep, --sector-max-parallel-upgrades, - or -f';
    throw flagInvalid('no sector given', hint);
  }
  return changeOrganization(io, flags, sectorsEdit(edit));
}

function editOfFlags(flags: ApplySectorsFlags): SectorEdit {
  const named = (texts: readonly string[] | undefined, flag: string): SectorJson[] =>
    (texts ?? []).map((text) => {
      const sector = parseDependencies(text);
      if (sector.name === '') throw flagInvalid(`${flag} ${text} has no sector name`, 'use the form A=B,C');
      return sector;
    });
  const limits = (flags.sectorMaxParallelUpgrades ?? []).map((text) => {
    const sector = parseLimit(text);
    if (sector !== undefined) return sector;
    throw flagInvalid(
      `--sector-max-parallel-upgrades ${text} is not a valid sector limit`,
      'use the form A=2 or A=50%',
    );
  });
  return {
    add: [...named(flags.addDep, '--add-dep'), ...limits],
    remove: named(flags.removeDep, '--remove-dep'),
    replace: flags.replace === true,
  };
}
