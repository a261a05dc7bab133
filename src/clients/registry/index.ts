export { imageDigest } from './image-digest.ts';
