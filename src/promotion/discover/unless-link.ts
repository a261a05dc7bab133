import { EchelonError } from '../../base/index.ts';
import type { Sources } from '../targets/find-targets.ts';

/** The bytes of a file for discovery: skips links, which a promotion would reject. */
export function unlessLink(read: Sources['read'], file: string): Uint8Array | undefined {
  try {
    return read(file);
  } catch (thrown) {
    if (thrown instanceof EchelonError && thrown.code === 'TARGET_LINK') return undefined;
    throw thrown;
  }
}
