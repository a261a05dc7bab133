export { type ComparedText, externalDiff } from './external-diff.ts';
