import type { Instance } from '../../instance/index.ts';

export interface RunImage {
  readonly repository: string;
  readonly tag: string;
}

export interface ImageChoice {
  /** The repository given by the user. */
  readonly image?: string;
  /** The default repository. */
  readonly defaultImage: string;
}

/** The image of a run: the pin's tag, else the one in the head's `.env`. */
export function runImages(
  { image, defaultImage }: ImageChoice,
  { snapshot: { env } }: Instance,
): (run: { readonly imageRef?: string }) => RunImage {
  const repository = image ?? (env.get('RECONCILE_IMAGE') || defaultImage);
  const tag = env.get('RECONCILE_IMAGE_TAG') || 'latest';
  return ({ imageRef }) => ({ repository, tag: imageRef ?? tag });
}

export function runImageText({ repository, tag }: RunImage): string {
  return `${repository}:${tag}`;
}
