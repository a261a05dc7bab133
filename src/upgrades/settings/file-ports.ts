export type Variables = Readonly<Record<string, string | undefined>>;

/** Files and variables, which settings name secrets and other files by. */
export interface FilePorts {
  readonly env: Variables;
  /** Names of files are relative to this folder; an absolute path. */
  readonly cwd: string;
  /** The whole content of a text file. Throws with the `code` of the system, and with `EFBIG` for one that is larger. */
  readFile(path: string, maxBytes?: number): string;
  /** Called with every secret that becomes known. */
  readonly onSecret?: (secret: string) => void;
}
