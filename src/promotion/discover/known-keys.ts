/** Key names that hold a version of an upstream, except those whose meaning depends on their place. */
export function knownKeys(upstream: { readonly name: string; readonly url?: string }): readonly string[] {
  const snake = repositoryName(upstream.url ?? upstream.name).replaceAll(/[^A-Za-z0-9]+/g, '_');
  const prefix = upstream.name.replaceAll('-', '_').toUpperCase();
  const keys = [`${prefix}_IMAGE_TAG`, `${snake.toLowerCase()}_image_tag`, `${snake.toUpperCase()}_IMAGE_TAG`];
  return [...new Set(snake === 'qontract_reconcile' ? [...keys, 'QR_IMAGE_TAG'] : keys)];
}

/** `qontract-reconcile` of `https://github.com/app-sre/qontract-reconcile.git`. */
export function repositoryName(url: string): string {
  return /([^/:]+?)(?:\.git)?\/*$/.exec(url)?.[1] ?? url;
}

/** The name of its repository, or its own where it has none. */
export function upstreamTitle({ name, url }: { readonly name: string; readonly url?: string }): string {
  return url === undefined ? name : repositoryName(url);
}

/** Whether two URLs refer to the same repository. */
export function sameRepository(a: string, b: string | undefined): boolean {
  if (b === undefined) return false;
  const plain = (url: string): string => url.replace(/(?:\.git)?\/*$/, '').toLowerCase();
  return plain(a) === plain(b);
}
