import type { Snapshot } from '../../instance/index.ts';
import type { FileEdit } from '../plan/plan-edits.ts';
import type { ForgePort } from './forge-port.ts';
import type { GitPort } from './git-port.ts';

export interface FilesPort {
  /** The text of a file below a folder, links followed; undefined where there is none. */
  text(folder: string, file: string): string | undefined;
  /** The bytes of a file that is itself below the folder; of one that a link leads to, the place of it. */
  bytes(folder: string, file: string): Uint8Array | { readonly linksTo: string } | undefined;
  /** Replaces files, all or none; one that changed since it was read is refused. */
  replace(folder: string, edits: readonly FileEdit[]): void;
  /** Writes a file, which may exist only when it is to be replaced. */
  write(folder: string, file: string, text: string, options: { readonly replace: boolean }): void;
  /** Runs something with an empty folder, named for its use, that is gone afterwards. */
  withScratch<T>(name: string, use: (folder: string) => Promise<T>): Promise<T>;
}

/** What a promotion needs of the world around it. */
export interface PromotionPorts {
  readonly git: GitPort;
  readonly forge: ForgePort;
  readonly files: FilesPort;
  /** Reads the files below a folder; those of a commit that was exported have no repository to be described by. */
  readonly loadFolder: (folder: string, files: 'working-tree' | 'exported') => Promise<Snapshot>;
  /** The digest of an image that the registry has; waits for it for some seconds. */
  readonly imageDigest: (question: {
    readonly image: string;
    readonly tag: string;
    readonly waitSeconds?: number;
  }) => Promise<string>;
  readonly now: () => Date;
}
