import { defined } from '../../base/index.ts';

/** What `imageRef` may be: a tag, or a tag with its digest, which the chart renders as it stands behind the repository. */
const IMAGE_REF = /^\w[\w.-]{0,127}(?:@sha256:[0-9a-f]{64})?$/;
const SHOWN_DIGEST = 12;

export function isImageRef(text: string): boolean {
  return IMAGE_REF.test(text);
}

/** The tag and, where there is one, the digest. */
export function imageRefParts(imageRef: string): { readonly tag: string; readonly digest?: string } {
  const [tag = '', digest] = imageRef.split('@');
  return { tag, ...defined({ digest }) };
}

/** As people are shown it: a digest by its beginning. */
export function shortImageRef(imageRef: string): string {
  return imageRef.replace(/(@sha256:)([0-9a-f]+)$/, (_, kind: string, hash: string) => {
    return `${kind}${hash.slice(0, SHOWN_DIGEST)}${hash.length > SHOWN_DIGEST ? '…' : ''}`;
  });
}
