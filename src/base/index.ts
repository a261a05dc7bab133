export { isClearText, isLoopbackHost, nodeHttp, serverAddress } from './addresses.ts';
export { atOnce, inTurns, mapLimited, type Steps } from './concurrency.ts';
export {
  CRON_FIELDS,
  type CronField,
  type CronFieldTexts,
  type CronSchedule,
  compileCron,
  cronFault,
  FIVE_FIELDS_PATTERN,
  fiveFields,
  type ParsedCron,
  parseCronRange,
} from './cron.ts';
export { EchelonError, type EchelonErrorOptions } from './errors.ts';
export {
  IMAGE_REF_PATTERN,
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
} from './images.ts';
export { changedOnly, memoize, sharedTexts } from './once.ts';
export { type Quotation, redactShapes, Secrets, secretValues } from './secrets.ts';
export {
  existingBucket,
  memoryStateStore,
  parseStateLocation,
  S3_PREFIX,
  type StateLocation,
  type StateStore,
} from './state-store.ts';
export {
  type Candidates,
  didYouMean,
  namesMatching,
  nearest,
  passes,
  requireNames,
  type Suggest,
  suggestions,
} from './text/did-you-mean.ts';
export { type JunitCase, type JunitSuite, junitXml } from './text/junit-xml.ts';
export {
  type Column,
  type ListedRows,
  type Listing,
  listedRows,
  type ShownRows,
  type Table,
  tableOf,
} from './text/listing.ts';
export { markdownCode, markdownPlain, markdownRow, markdownTable } from './text/markdown.ts';
export { shellText, shellWords } from './text/shell-words.ts';
export {
  byText,
  count,
  escapeControls,
  escapeControlsInText,
  fromNowText,
  humanBytes,
  messageOf,
  shortened,
  shown,
  withArticle,
  withTimesFromNow,
} from './text/text.ts';
export {
  type Colour,
  cut,
  type Pen,
  paintedDiff,
  tableLines,
  textTable,
  wrapped,
} from './text/text-table.ts';
export { type Brand, defined, fileNamePart, isJson, type Json, sha256Of } from './values.ts';
