/** A page of a list as it is kept: as the server sent it, or packed here. */
export type ListPage = { readonly gzip: Uint8Array } | { readonly plain: string };

/** Below this, packing saves too little. */
const SMALL = 8 * 1024;

/** What a server did not compress is compressed here. */
export async function packedPage(page: ListPage): Promise<ListPage> {
  if ('gzip' in page || page.plain.length < SMALL) return page;
  const { gzip } = await import('node:zlib');
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  gzip(page.plain, { level: 1 }, (error, packed) => (error === null ? resolve(packed) : reject(error)));
  return { gzip: await promise };
}

export async function pageText(page: ListPage): Promise<string> {
  if ('plain' in page) return page.plain;
  const { gunzip } = await import('node:zlib');
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  gunzip(page.gzip, { chunkSize: 256 * 1024 }, (error, text) => (error === null ? resolve(text) : reject(error)));
  return (await promise).toString('utf8');
}

export function pageBytes(page: ListPage): number {
  return 'gzip' in page ? page.gzip.byteLength : page.plain.length;
}
