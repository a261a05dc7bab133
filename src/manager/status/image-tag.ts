/** `f929a38` of `quay.io/x/y:f929a38`; the start of the digest where there is no tag; empty where there is no image. */
export function tagOf(image: string | undefined): string {
  if (image === undefined) return '';
  const [name = '', digest] = image.split('@');
  const tag = name.slice(name.lastIndexOf('/') + 1).split(':')[1];
  return tag ?? digest?.slice(0, 'sha256:'.length + 12) ?? 'latest';
}
