import { defined } from './values.ts';

/** `quay.io/owner/name:8c41f7e@sha256:…` taken apart. */
interface ImageReference {
  /** Host, port and path, without tag and digest. */
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
}

const TAG = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const DIGEST = 'sha256:[0-9a-f]{64}';
const NAME = '[a-z0-9]+(?:[._-]+[a-z0-9]+)*';
const WHOLE_TAG = new RegExp(`^${TAG}$`);
const WHOLE_DIGEST = new RegExp(`^${DIGEST}$`);
/** Regular expression of what `isImageRef` accepts. */
export const IMAGE_REF_PATTERN = `^${TAG}(?:@${DIGEST})?$`;
const IMAGE_REF = new RegExp(IMAGE_REF_PATTERN);
const IMAGE = new RegExp(`^${NAME}(?::\\d{1,5})?(?:/${NAME})*(?::${TAG})?(?:@${DIGEST})?$`);
export const LONGEST_IMAGE = 512;
/** Regular expression of an image without tag and digest. */
export const REPOSITORY_PATTERN = `^${NAME}(?::\\d{1,5}(?=/))?(?:/${NAME})*$`;

export function isImageTag(text: string): boolean {
  return WHOLE_TAG.test(text);
}

export function isImageDigest(text: string): boolean {
  return WHOLE_DIGEST.test(text);
}

/** Whether a text names an image, and cannot be taken for an option. */
export function isImage(text: string): boolean {
  return text.length <= LONGEST_IMAGE && IMAGE.test(text);
}

/** Whether a text is valid as `imageRef`: a tag, or a tag with its digest, as the chart appends it to the repository. */
export function isImageRef(text: string): boolean {
  return IMAGE_REF.test(text);
}

/** The parts of an image, also of one that is not well formed. The port of the host is not a tag. */
export function parseImage(image: string): ImageReference {
  const [name = '', digest] = image.split('@');
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  if (colon === -1) return { repository: name, ...defined({ digest }) };
  return { repository: name.slice(0, colon), tag: name.slice(colon + 1), ...defined({ digest }) };
}

/** The tag of an `imageRef` and, where there is one, the digest. */
export function imageRefParts(imageRef: string): { readonly tag: string; readonly digest?: string } {
  const [tag = '', digest] = imageRef.split('@');
  return { tag, ...defined({ digest }) };
}

/** The part after the repository: `8c41f7e`, `8c41f7e@sha256:…`, `@sha256:…`; empty without tag and digest. */
export function imageVersion(image: string): string {
  const { tag = '', digest } = parseImage(image);
  return digest === undefined ? tag : `${tag}@${digest}`;
}

/** The text with digests cut to their first 12 digits, enough to tell two apart. */
export function shortDigests(text: string): string {
  return text.replaceAll(/(@sha256:[0-9a-f]{12})[0-9a-f]+/g, '$1…');
}
