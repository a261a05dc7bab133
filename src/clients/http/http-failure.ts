import { EchelonError, type EchelonErrorOptions } from '../../base/index.ts';

export interface HttpFailureOptions extends Omit<EchelonErrorOptions, 'cause'> {
  readonly mayHaveArrived: boolean;
}

/** No usable answer. It has no cause: what the runtime throws may quote a header. */
export class HttpFailure extends EchelonError {
  override readonly name = 'HttpFailure';
  /** Whether the server may have acted on the request all the same. */
  readonly mayHaveArrived: boolean;

  constructor(options: HttpFailureOptions) {
    super(options);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}
