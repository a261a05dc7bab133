import type { FileEdit, Snapshot } from '../../instance/index.ts';
import type { RecordedScope } from '../../rollouts/index.ts';
import type { ForgePort } from './forge-port.ts';
import type { GitPort } from './git-port.ts';

export interface FilesPort {
  /** The text of a file in a folder, following links; undefined if it does not exist. */
  text(folder: string, file: string): string | undefined;
  /** The bytes of a file in the folder; for a link, its target. */
  bytes(folder: string, file: string): Uint8Array | { readonly linksTo: string } | undefined;
  /** Undoes what an interrupted `replace` left in the folder's repository, and reports it. */
  recover(folder: string): void;
  /** Replaces files, all or none; fails if one changed since it was read. */
  replace(folder: string, edits: readonly FileEdit[]): void;
  /** Writes a file; fails if it exists, unless it should be replaced. */
  write(folder: string, file: string, text: string, options: { readonly replace: boolean }): void;
  /** Runs a function with an empty temporary folder, removed afterwards. */
  withScratch<T>(name: string, use: (folder: string) => Promise<T>): Promise<T>;
}

/** What a promotion needs from outside. */
export interface PromotionPorts {
  readonly git: GitPort;
  readonly forge: ForgePort;
  readonly files: FilesPort;
  /** Reads the files in a folder; an exported commit has no repository of its own. */
  readonly loadFolder: (folder: string, files: 'working-tree' | 'exported') => Promise<Snapshot>;
  /** Queries an image's digest from the registry; waits for it for some seconds. */
  readonly imageDigest: (question: {
    readonly image: string;
    readonly tag: string;
    readonly waitSeconds?: number;
  }) => Promise<string>;
  readonly now: () => Date;
  /** What rollouts remember; absent where no record is given. */
  readonly recorded?: RecordedScope;
}
