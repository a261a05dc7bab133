export { fileCache } from './file-cache.ts';
