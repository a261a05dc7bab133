export { bytesBelow, textBelow } from './read-below.ts';
export { type FileReplacement, replaceFiles } from './replace-files.ts';
export { withScratch } from './scratch.ts';
