export { defined } from './defined.ts';
export { EchelonError, type EchelonErrorOptions } from './echelon-error.ts';
export { isJson, type Json } from './json.ts';
export { isClearText, isLoopbackHost } from './loopback.ts';
export { mapLimited } from './map-limited.ts';
export { didYouMean, nearest } from './nearest.ts';
export { Secrets } from './redaction.ts';
export { sha256Of } from './sha256.ts';
export { byText, count, humanBytes, messageOf, withArticle } from './text.ts';
