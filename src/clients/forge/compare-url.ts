import type { RepositoryUrl } from './repository-url.ts';

/** A page that shows what lies between two refs, for a browser. */
export function compareUrl({ origin, path }: RepositoryUrl, page: string, from: string, to: string): string {
  return `${origin}/${path}${page}${inPath(from)}...${inPath(to)}`;
}

function inPath(ref: string): string {
  return encodeURIComponent(ref).replaceAll('%2F', '/');
}
