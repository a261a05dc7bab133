import { describe, expect, it } from 'vitest';
import {
  imageRefParts,
  imageVersion,
  isImage,
  isImageDigest,
  isImageRef,
  isImageTag,
  parseImage,
  shortDigests,
} from './images.ts';
import { defined } from './values.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

describe('an image', () => {
  it.each([
    { image: 'quay.io/x/y:8c41f7e', repository: 'quay.io/x/y', tag: '8c41f7e', version: '8c41f7e', valid: true },
    { image: 'quay.io/x/y', repository: 'quay.io/x/y', version: '', valid: true },
    { image: 'y', repository: 'y', version: '', valid: true },
    { image: 'y:1', repository: 'y', tag: '1', version: '1', valid: true },
    { image: 'localhost:5000/x/y', repository: 'localhost:5000/x/y', version: '', valid: true },
    { image: 'localhost:5000/x/y:v1', repository: 'localhost:5000/x/y', tag: 'v1', version: 'v1', valid: true },
    {
      image: `localhost:5000/x/y:v1@${DIGEST}`,
      repository: 'localhost:5000/x/y',
      tag: 'v1',
      digest: DIGEST,
      version: `v1@${DIGEST}`,
      valid: true,
    },
    { image: `quay.io/x/y@${DIGEST}`, repository: 'quay.io/x/y', digest: DIGEST, version: `@${DIGEST}`, valid: true },
    { image: 'quay.io/x/y:v1@', repository: 'quay.io/x/y', tag: 'v1', digest: '', version: 'v1@', valid: false },
    { image: '--privileged', repository: '--privileged', version: '', valid: false },
    { image: '', repository: '', version: '', valid: false },
  ])('$image', ({ image, repository, tag, digest, version, valid }) => {
    expect(parseImage(image)).toEqual({ repository, ...defined({ tag, digest }) });
    expect(imageVersion(image)).toBe(version);
    expect(isImage(image)).toBe(valid);
  });
});

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
    expect(shortDigests(text)).toBe(short);
  });
});

describe('a tag or digest', () => {
  it.each([
    { text: 'v1', tag: true, digest: false },
    { text: '.v1', tag: false, digest: false },
    { text: 'a'.repeat(129), tag: false, digest: false },
    { text: DIGEST, tag: false, digest: true },
    { text: `${DIGEST}0`, tag: false, digest: false },
  ])('$text', ({ text, tag, digest }) => {
    expect({ tag: isImageTag(text), digest: isImageDigest(text) }).toEqual({ tag, digest });
  });
});
