import { type Instance, managerFileOf, upstreamImage } from '../../instance/index.ts';

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

/**
 * The image of a run: the pin's tag, else the one in the head's `.env`. An integration whose upstream manager.yml gives an image
 * runs that, with its tag if that is the same in every environment.
 */
export function runImages(
  { image, defaultImage }: ImageChoice,
  { snapshot, integrations }: Instance,
): (run: { readonly integration: string; readonly imageRef?: string }) => RunImage {
  const { env } = snapshot;
  const file = managerFileOf(snapshot);
  const upstreams = new Map(integrations.map(({ name, upstream }) => [name, upstream]));
  return ({ integration, imageRef }) => {
    const declared = upstreamImage(file, upstreams.get(integration));
    const repository = image ?? declared?.image ?? (env.get('RECONCILE_IMAGE') || defaultImage);
    const own = declared === undefined ? env.get('RECONCILE_IMAGE_TAG') : declared.tag;
    return { repository, tag: imageRef ?? (own || 'latest') };
  };
}

export function runImageText({ repository, tag }: RunImage): string {
  return `${repository}:${tag}`;
}
