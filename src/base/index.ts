export { EchelonError, type EchelonErrorOptions } from './echelon-error.ts';
export { didYouMean, nearest } from './nearest.ts';
export { byText, count, humanBytes, messageOf } from './text.ts';
