import type http from 'node:http';

/**
 * `node:http` as it is. An `import` of it reads all of its exports, some of which load another HTTP client when they are
 * read: 14 MB of memory that a loop would hold for ever.
 */
export function nodeHttp(): typeof http {
  return process.getBuiltinModule('node:http');
}
