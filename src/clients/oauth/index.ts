export { OAuthFailure, type OAuthFailureKind } from './oauth-failure.ts';
export {
  DEFAULT_TOKEN_URL,
  hostTokenFrom,
  type OAuthCredentials,
  type TokenOptions,
  type TokenSource,
  tokenSource,
} from './token-source.ts';
