import { EchelonError, type EchelonErrorOptions } from '../../base/index.ts';

/**
 * `token-refused`: the only token that there is was not accepted. `credentials`: the endpoint does not accept what it was
 * given. `unavailable`: it cannot answer now. `insecure`: it is asked over a clear line.
 */
export type OAuthFailureKind = 'token-refused' | 'credentials' | 'unavailable' | 'unreachable' | 'answer' | 'insecure';

/** No access token. It has no cause: what is below may quote a secret. */
export class OAuthFailure extends EchelonError {
  override readonly name = 'OAuthFailure';
  readonly kind: OAuthFailureKind;

  constructor({ kind, ...options }: Omit<EchelonErrorOptions, 'code' | 'cause'> & { readonly kind: OAuthFailureKind }) {
    super({ code: 'OAUTH_FAILED', ...options });
    this.kind = kind;
  }
}
