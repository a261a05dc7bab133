import { sha256Of } from '../base/index.ts';
import type { Logger } from '../runtime/index.ts';
import type { OwnShard, WriteState } from './contexts.ts';

/** Whether the inputs of a pass are those of one that found nothing to do. */
export interface ConvergedMemory {
  isKnown(digest: string): Promise<boolean>;
  remember(digest: string): Promise<void>;
}

/** Each share of the work remembers its own. A store that fails only costs the early exit. */
export function convergedMemory(
  state: WriteState,
  { shard, args }: { readonly shard: OwnShard; readonly args: readonly string[] },
  logger: Logger,
): ConvergedMemory {
  const key = `converged-${sha256Of(JSON.stringify([shard, args])).slice(0, 16)}`;
  const read = async () => {
    try {
      return await state.read(key);
    } catch (error) {
      logger.warn('state cannot be read', { error });
      return undefined;
    }
  };
  return {
    isKnown: async (digest) => (await read())?.value === digest,
    remember: async (digest) => {
      try {
        await state.write(key, digest, (await state.read(key))?.version ?? 'absent');
      } catch (error) {
        logger.warn('state cannot be written', { error });
      }
    },
  };
}
