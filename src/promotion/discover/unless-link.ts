import { EchelonError } from '../../base/index.ts';
import type { Sources } from '../targets/locate.ts';

/** The bytes of a file that is only looked at: a link, which a promotion would refuse, is passed over. */
export function unlessLink(read: Sources['read'], file: string): Uint8Array | undefined {
  try {
    return read(file);
  } catch (thrown) {
    if (thrown instanceof EchelonError && thrown.code === 'TARGET_LINK') return undefined;
    throw thrown;
  }
}
