import { describe, expect, it } from 'vitest';
import { defined } from '../../base/index.ts';
import { imageRefParts, isImageRef, shortImageRef } from './image-ref.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

describe('an imageRef', () => {
  it.each([
    { text: '8c41f7e', valid: true, tag: '8c41f7e', digest: undefined, short: '8c41f7e' },
    { text: `8c41f7e@${DIGEST}`, valid: true, tag: '8c41f7e', digest: DIGEST, short: '8c41f7e@sha256:abababababab…' },
    { text: 'v1.2.3', valid: true, tag: 'v1.2.3', digest: undefined, short: 'v1.2.3' },
    { text: '8c41f7e@sha256:ab', valid: false, tag: '8c41f7e', digest: 'sha256:ab', short: '8c41f7e@sha256:ab' },
    { text: `@${DIGEST}`, valid: false, tag: '', digest: DIGEST, short: '@sha256:abababababab…' },
    { text: 'quay.io/x/y:1', valid: false, tag: 'quay.io/x/y:1', digest: undefined, short: 'quay.io/x/y:1' },
    { text: '', valid: false, tag: '', digest: undefined, short: '' },
  ])('$text', ({ text, valid, tag, digest, short }) => {
    expect(isImageRef(text)).toBe(valid);
    expect(imageRefParts(text)).toEqual({ tag, ...defined({ digest }) });
    expect(shortImageRef(text)).toBe(short);
  });
});
