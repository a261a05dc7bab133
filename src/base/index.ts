export type { Brand } from './brand.ts';
export { cut, widthOf, wrapped } from './cell-width.ts';
export { changedOnly } from './changed-only.ts';
export { escapeControls, escapeControlsInText } from './controls.ts';
export { defined } from './defined.ts';
export { EchelonError, type EchelonErrorOptions } from './echelon-error.ts';
export { fileNamePart } from './file-name-part.ts';
export {
  IMAGE_REF_PATTERN,
  type ImageReference,
  imageRefParts,
  imageVersion,
  isImage,
  isImageDigest,
  isImageRef,
  isImageTag,
  LONGEST_IMAGE,
  parseImage,
  REPOSITORY_PATTERN,
  shortDigests,
} from './image-reference.ts';
export { isJson, type Json } from './json.ts';
export { type JunitCase, type JunitSuite, junitXml } from './junit-xml.ts';
export {
  type Column,
  type ListedRows,
  type Listing,
  listedRows,
  type PlainRows,
  plainRows,
  type ShownRows,
  shownRows,
  type Table,
  tableOf,
} from './listing.ts';
export { isClearText, isLoopbackHost } from './loopback.ts';
export { mapLimited } from './map-limited.ts';
export { markdownCode, markdownPlain, markdownRow } from './markdown-text.ts';
export { memoize } from './memoize.ts';
export { namesMatching } from './name-pattern.ts';
export { passes, requireNames } from './names.ts';
export { didYouMean, nearest } from './nearest.ts';
export { nodeHttp } from './node-http.ts';
export { paintedDiff } from './painted-diff.ts';
export type { Colour, Pen } from './pen.ts';
export { type Quotation, redactShapes, Secrets, secretValues } from './redaction.ts';
export { fromNowText, withTimesFromNow } from './relative-time.ts';
export { sha256Of } from './sha256.ts';
export { sharedTexts } from './shared-texts.ts';
export { shellText, shellWords } from './shell-words.ts';
export { existingBucket, parseStatePlace, S3_PREFIX, type StatePlace } from './state-place.ts';
export { memoryStateStore, type StateStore } from './state-store.ts';
export { byText, count, humanBytes, messageOf, shortened, shown, withArticle } from './text.ts';
export { markdownTable, tableLines, textTable } from './text-table.ts';
export { atOnce, inTurns, type Steps } from './turns.ts';
