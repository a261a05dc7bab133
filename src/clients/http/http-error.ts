import { EchelonError, type EchelonErrorOptions } from '../../base/index.ts';

type HttpFailureCode =
  | 'HTTP_UNREACHABLE'
  | 'HTTP_ANSWER_TOO_LARGE'
  | 'HTTP_NOT_JSON'
  | 'HTTP_CLEAR_TEXT'
  | 'HTTP_READ_ONLY'
  | 'HTTP_NOT_PERMITTED';

interface HttpFailureOptions extends Omit<EchelonErrorOptions, 'cause' | 'code'> {
  readonly code: HttpFailureCode;
  readonly mayHaveArrived: boolean;
  readonly fault?: HttpFailure['fault'];
}

/** No usable response. It has no cause: what the runtime throws may quote a header. */
export class HttpFailure extends EchelonError {
  override readonly name = 'HttpFailure';
  /** Whether the server may have acted on the request all the same. */
  readonly mayHaveArrived: boolean;
  /** Why there was no response; `code` is one word that quotes nothing: `ECONNREFUSED`, `TimeoutError`. */
  readonly fault: { readonly code: string; readonly text: string } | undefined;

  constructor(options: HttpFailureOptions) {
    super(options);
    this.mayHaveArrived = options.mayHaveArrived;
    this.fault = options.fault;
  }
}
