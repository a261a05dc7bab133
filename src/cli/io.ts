/** Everything a command touches of the process around it, so that tests run commands in this process. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** `--progress`: report progress also where standard error is not a terminal. */
  readonly progress?: boolean;
  /** Asks the person at the terminal; absent where there is none. */
  readonly ask?: (question: string) => Promise<string>;
  /** Ends the process where something that was told to end does not. */
  readonly exitNow?: (code: number) => void;
  /** Told every secret, so that no output ever shows it. */
  readonly onSecret?: (secret: string) => void;
}

export interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns?: number;
}
