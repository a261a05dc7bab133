import { hash } from 'node:crypto';

const DIGEST_BYTES = 32;

/** Bytes with their hash before them, for a store that others may have written to. */
export function sealed(body: Buffer): Buffer {
  return Buffer.concat([hash('sha256', body, 'buffer'), body]);
}

/** Only what was sealed and is whole. */
export function unsealed(bytes: Buffer | undefined): Buffer | undefined {
  const body = bytes?.subarray(DIGEST_BYTES);
  if (bytes === undefined || body === undefined) return undefined;
  return hash('sha256', body, 'buffer').equals(bytes.subarray(0, DIGEST_BYTES)) ? body : undefined;
}
