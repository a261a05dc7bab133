import { EchelonError, isImage, isImageRef, parseImage } from '../../base/index.ts';

/** A whole image, or a tag, perhaps with a digest, of the repository that the shard runs. */
export function wantedImage(given: string, current: string | undefined, flag: string): string {
  const isTag = !/[/:]/.test(given.split('@')[0] ?? '');
  if (!isTag && isImage(given)) return given;
  if (isTag && isImageRef(given) && current !== undefined) return `${parseImage(current).repository}:${given}`;
  const why = isTag && isImageRef(given) ? 'is a tag, and the repository is not known' : 'is not a valid image';
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `${flag} ${JSON.stringify(given)} ${why}`,
    hint: `pass a whole image, such as ${flag} REPOSITORY:TAG`,
  });
}
