export { answerCache } from './answer-cache.ts';
export { cacheFolder } from './cache-folder.ts';
export { keepCompiled } from './compiled-code.ts';
export { fileCache } from './file-cache.ts';
