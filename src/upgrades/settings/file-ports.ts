export type Variables = Readonly<Record<string, string | undefined>>;

/** Files and environment variables that settings refer to. */
export interface FilePorts {
  readonly env: Variables;
  /** File names are relative to this folder; an absolute path. */
  readonly cwd: string;
  /** The whole content of a text file. Throws with the system's `code`, and with `EFBIG` if it is larger. */
  readFile(path: string, maxBytes?: number): string;
  /** Called with every secret that becomes known. */
  readonly onSecret?: (secret: string) => void;
}
