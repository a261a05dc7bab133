export { type FileChange, replaceFiles } from './replace-files.ts';
