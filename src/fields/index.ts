export { fieldDocument, fieldLines, kindListing } from './explanation.ts';
export { findField, findKind } from './find-field.ts';
export { jsonSchemaOf } from './json-schema.ts';
export { KINDS } from './kinds.ts';
export { fieldReference } from './reference.ts';
