import { fileNamePart, imageRefParts } from '../../base/index.ts';
import type { CheckRun } from './runs.ts';

/** A run with a unique log name. */
export type NamedRun = CheckRun & {
  /** `terraform-resources`, `terraform-resources_f929a38`; safe as a file name. */
  readonly name: string;
  /** `reconcile-<name>.txt`. */
  readonly log: string;
};

/** Names runs by integration and image tag. Duplicates, also those differing only in case, get a number. */
export function nameRuns(runs: readonly CheckRun[]): NamedRun[] {
  const taken = new Set<string>();
  return runs.map((run) => {
    const image = run.imageRef === undefined ? '' : `_${fileNamePart(imageRefParts(run.imageRef).tag)}`;
    const wanted = `${fileNamePart(run.integration)}${image}`;
    let name = wanted;
    for (let next = 2; taken.has(name.toLowerCase()); next += 1) name = `${wanted}.${next}`;
    taken.add(name.toLowerCase());
    return { ...run, name, log: `reconcile-${name}.txt` };
  });
}
