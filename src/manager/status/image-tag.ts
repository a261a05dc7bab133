import { parseImage } from '../../base/index.ts';
/** `f929a38` of `quay.io/x/y:f929a38`; the start of the digest if it has no tag; empty without an image. */
export function tagOf(image: string | undefined): string {
  if (image === undefined) return '';
  const { tag, digest } = parseImage(image);
  return tag ?? digest?.slice(0, 'sha256:'.length + 12) ?? 'latest';
}
