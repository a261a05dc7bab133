export {
  bytesBelow,
  copiedData,
  createFiles,
  makeFolder,
  scratchFolder,
  textBelow,
  unwritable,
  withScratch,
  writeAtomically,
} from './files.ts';
export { writeFolder } from './output-folder.ts';
export { recoverFiles, replaceFiles } from './replace-files.ts';
