/** An error as a user sees it: what happened, a stable code, and what to do about it. */
export interface EchelonErrorOptions {
  /** Stable, upper snake case; documented, safe to match on in scripts. */
  readonly code: string;
  /** Names the file, line, label or endpoint. */
  readonly message: string;
  /** One imperative sentence. */
  readonly hint: string;
  readonly cause?: unknown;
}

/** An error that is shown to the user as three short lines; anything else that is thrown is a bug in Echelon. */
export class EchelonError extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(options: EchelonErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EchelonError';
    this.code = options.code;
    this.hint = options.hint;
  }
}
