import {
  type OAuthCredentials,
  OAuthFailure,
  type OAuthFailureKind,
  tokenSource as oauthTokens,
  type TokenOptions,
  type TokenSource,
} from '../oauth/index.ts';
import { OcmError } from './ocm-error.ts';

export type OcmCredentials = OAuthCredentials;

const CODES = {
  'token-refused': 'OCM_UNAUTHORIZED',
  credentials: 'OCM_CREDENTIALS',
  unavailable: 'OCM_UNAVAILABLE',
  unreachable: 'OCM_UNREACHABLE',
  answer: 'OCM_ANSWER',
  insecure: 'OCM_URL_INVALID',
} as const satisfies Record<OAuthFailureKind, string>;

/** Access tokens of OCM; what goes wrong is an `OcmError`. */
export function tokenSource(options: TokenOptions): TokenSource {
  const tokens = oauthTokens(options);
  return { ...tokens, token: () => tokens.token().catch(failed) };
}

function failed(thrown: unknown): never {
  if (!(thrown instanceof OAuthFailure)) throw thrown;
  const { kind, message, hint } = thrown;
  throw new OcmError({ code: CODES[kind], hint, message: kind === 'token-refused' ? REFUSED : message });
}

const REFUSED = 'OCM rejected the access token: it has expired, or is for another OCM';
