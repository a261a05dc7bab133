import { EchelonError, isImageDigest } from '../../base/index.ts';
import type { Form, Target } from './promotion-file.ts';

/** The version that is promoted, in every form that is known of it. */
export interface Version {
  /** All 40 characters. */
  readonly commit: string;
  /** Length of the short form, where a target does not say. */
  readonly hashLength: number;
  /** Name of the release, where one was asked for. */
  readonly tag?: string;
  /** `sha256:…` of the image; absent when nobody asked the registry. */
  readonly digest?: string;
}

/** Names that follow a moving target rather than one version. */
const MOVING = /^(?:latest|master|main|internal|stable)$/;

/** The text of a version in a form; undefined for a digest that is not known. */
export function written(
  { commit, hashLength, tag, digest }: Version,
  { form, length = hashLength }: Pick<Target, 'form' | 'length'>,
): string | undefined {
  if (form === 'full') return commit;
  if (form === 'digest') return digest;
  return form === 'tag' && tag !== undefined ? tag : commit.slice(0, length);
}

/** Refuses a target whose value shows that its form is wrong; whether the value follows a branch. */
export function checkForm(
  target: Target,
  old: string,
  place: string,
  hashLength: number,
): { readonly moving: boolean } {
  if (MOVING.test(old)) return { moving: true };
  const length = target.length ?? hashLength;
  if (fits(target.form, old, length)) return { moving: false };
  const told: Record<Form, string> = {
    short: `the first ${length} characters of a commit`,
    full: 'all 40 characters of a commit',
    digest: 'a digest such as sha256:…',
    tag: 'a tag',
  };
  throw new EchelonError({
    code: 'TARGET_FORM',
    message: `target ${target.name}: ${place} has ${old || 'nothing'}, but its form ${target.form} means ${told[target.form]}. Nothing is promoted`,
    hint: `correct the form${target.form === 'short' ? ' or the length' : ''} of the target in promotion.yml, or the value`,
  });
}

function fits(form: Form, old: string, length: number): boolean {
  if (form === 'short') return old.length === length && /^[0-9a-f]+$/.test(old);
  if (form === 'full') return /^[0-9a-f]{40}$/.test(old);
  if (form === 'digest') return old === '' || isImageDigest(old);
  return /^[\w][\w.-]{0,127}$/.test(old);
}
