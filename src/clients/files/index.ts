export { copiedData } from './copied-data.ts';
export { createFiles } from './create-files.ts';
export { bytesBelow, textBelow } from './read-below.ts';
export { recoverFiles } from './recover-files.ts';
export { replaceFiles } from './replace-files.ts';
export { scratchFolder, withScratch } from './scratch.ts';
export { makeFolder, unwritable } from './writable-folder.ts';
