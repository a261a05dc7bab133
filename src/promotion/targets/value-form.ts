import { EchelonError, isImageDigest } from '../../base/index.ts';
import type { Form, Target } from './promotion-file.ts';

/** The promoted version, in every known form. */
export interface Version {
  /** Full, 40 characters; the tag itself for an upstream without a repository. */
  readonly commit: string;
  /** Length of the short form, unless a target sets it. */
  readonly hashLength: number;
  /** Release name, if one was requested. */
  readonly tag?: string;
  /** `sha256:…` of the image; absent if the registry was not queried. */
  readonly digest?: string;
}

/** `8c41f7e`, or the tag where there is no commit. */
export function versionText({ commit, hashLength, tag }: Version): string {
  return commit === tag ? tag : commit.slice(0, hashLength);
}

/** Names that follow a moving target rather than one version. */
const MOVING = /^(?:latest|master|main|internal|stable)$/;

/** The text of a version in a form; undefined for an unknown digest. */
export function written(
  { commit, hashLength, tag, digest }: Version,
  { form, length = hashLength }: Pick<Target, 'form' | 'length'>,
): string | undefined {
  if (form === 'full') return commit;
  if (form === 'digest') return digest;
  return form === 'tag' && tag !== undefined ? tag : commit.slice(0, length);
}

/** Throws if a target's value does not match its form; returns whether the value follows a branch. */
export function checkForm(
  target: Target,
  old: string,
  place: string,
  hashLength: number,
): { readonly moving: boolean } {
  if (MOVING.test(old)) return { moving: true };
  const length = target.length ?? hashLength;
  if (fits(target.form, old, length)) return { moving: false };
  const expected: Record<Form, string> = {
    short: `a commit abbreviated to ${length} characters`,
    full: 'a full 40-character commit',
    digest: 'a digest such as sha256:…',
    tag: 'a tag',
  };
  throw new EchelonError({
    code: 'TARGET_FORM',
    message: `target ${target.name}: ${place} has ${old || 'no value'}, but form ${target.form} requires ${expected[target.form]}. Nothing was promoted`,
    hint: `fix the form${target.form === 'short' ? ' or the length' : ''} of the target in promotion.yml, or the value`,
  });
}

function fits(form: Form, old: string, length: number): boolean {
  if (form === 'short') return old.length === length && /^[0-9a-f]+$/.test(old);
  if (form === 'full') return /^[0-9a-f]{40}$/.test(old);
  if (form === 'digest') return old === '' || isImageDigest(old);
  return /^[\w][\w.-]{0,127}$/.test(old);
}
