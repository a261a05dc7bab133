/** Everything a command touches of the process around it, so that tests run commands in this process. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

export interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns?: number;
}
