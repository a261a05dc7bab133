export { type ImageQuestion, imageDigest } from './image-digest.ts';
