export { fieldDocument, fieldLines, findField, findKind, kindListing } from './explain.ts';
export { jsonSchemaOf } from './json-schema.ts';
export { KINDS } from './kinds.ts';
export { fieldReference } from './reference.ts';
