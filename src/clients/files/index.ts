export { bytesBelow, textBelow } from './read-below.ts';
export { replaceFiles } from './replace-files.ts';
export { withScratch } from './scratch.ts';
