import type { Instance, Problem } from '../../instance/index.ts';
import { checkRollouts } from './check-rollouts.ts';
import { type DeclaredVersion, declaredNames } from './declared-names.ts';
import { readRollouts } from './read-rollouts.ts';
import { ROLLOUTS_RESOURCE } from './rollout-file.ts';

/** A file of rollouts; `name` is shown to the user. */
export interface RolloutsText {
  readonly name: string;
  readonly content: string;
}

/** Finds the problems of an instance's rollouts.yml, or of another file, for validation; none where there is no file. */
export function rolloutsCheck(
  versionOf: DeclaredVersion,
  other?: RolloutsText,
): (instance: Instance) => readonly Problem[] {
  return (instance) => {
    const { name, content } = other ?? ownFile(instance);
    if (content === undefined) return [];
    const { file, problems } = readRollouts(content, name);
    return file === undefined ? problems : checkRollouts(file, content, name, declaredNames(instance, versionOf));
  };
}

function ownFile({ snapshot }: Instance): { readonly name: string; readonly content: string | undefined } {
  return { name: `resources${ROLLOUTS_RESOURCE}`, content: snapshot.echelonFiles.get(ROLLOUTS_RESOURCE) };
}
