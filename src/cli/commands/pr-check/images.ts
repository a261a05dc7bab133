import type { Instance } from '../../../instance/index.ts';
import { DEFAULT_IMAGE } from '../../../manager/index.ts';
import type { Io } from '../../io.ts';
import type { PrCheckFlags } from './flags.ts';

export interface RunImage {
  readonly repository: string;
  readonly tag: string;
}

/** The image of a run: the pin's tag, else the one that `.env` of the head names. */
export function runImages(io: Io, flags: PrCheckFlags, { snapshot: { env } }: Instance) {
  const repository =
    flags.image ?? (io.env['INTEGRATIONS_MANAGER_IMAGE'] || env.get('RECONCILE_IMAGE') || DEFAULT_IMAGE);
  const tag = env.get('RECONCILE_IMAGE_TAG') || 'latest';
  return ({ imageRef }: { readonly imageRef?: string }): RunImage => ({ repository, tag: imageRef ?? tag });
}

export function imageText({ repository, tag }: RunImage): string {
  return `${repository}:${tag}`;
}
