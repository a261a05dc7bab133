export { createConfigMapStore } from './configmap-store.ts';
export { createFileStore } from './file-store.ts';
export { createS3Store } from './s3-store.ts';
