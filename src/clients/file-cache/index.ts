export { cacheFolder, privateCache } from './cache-folder.ts';
export { keepCompiled } from './compiled-code.ts';
export { fileCache } from './file-cache.ts';
export { isOpen, isOwn, privateFolder } from './private-folder.ts';
