export { createFileStore, type FileStoreOptions } from './file-store.ts';
export { createS3Store, type S3StoreOptions } from './s3-store.ts';
export type { StateErrorCode } from './state-error.ts';
export { MAX_STATE_BYTES, MAX_STATE_KEYS, type StoredValue, type VersionedStore } from './versioned-store.ts';
