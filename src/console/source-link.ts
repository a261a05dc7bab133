import { pathInRepository } from '../promotion/index.ts';
import { type Html, html } from './html.ts';
import type { SourceLinks } from './state.ts';

/** A file of the instance as `file:line`, linked to the forge where that is known. */
export function sourceLink(
  sources: SourceLinks | undefined,
  { file, line }: { readonly file: string; readonly line?: number },
): Html {
  const path = pathInRepository(file);
  const text = line === undefined ? path : `${path}:${line}`;
  const href = sources === undefined ? undefined : sourceUrl(sources, path, line);
  return href === undefined
    ? html`<code>${text}</code>`
    : html`<a href="${href}" rel="noreferrer"><code>${text}</code></a>`;
}

/** GitLab has its pages below `/-/`; only web addresses are links. */
export function sourceUrl({ repository, commit }: SourceLinks, path: string, line?: number): string | undefined {
  if (!URL.canParse(repository)) return undefined;
  const { protocol, host, pathname } = new URL(repository);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  const page = host === 'github.com' || host.startsWith('github.') ? 'blob' : '-/blob';
  const name = pathname.replace(/\/$/, '').replace(/\.git$/, '');
  const file = path.split('/').map(encodeURIComponent).join('/');
  return `${protocol}//${host}${name}/${page}/${commit}/${file}${line === undefined ? '' : `#L${line}`}`;
}
