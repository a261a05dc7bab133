import { sha256Of } from '../base/index.ts';
import type { Html } from './html.ts';

/** How long ago or ahead something is. It changes by itself, and the script of the page counts on. */
const AGES = /(<small data-age>)[^<]*|( data-age=")[^"]*/g;
const LETTERS = 16;

/** Names the content of a page: the same as long as nothing but ages would change. */
export function shownText(title: string, body: Html): string {
  return sha256Of(`${title}\n${body.text.replace(AGES, '$1$2')}`).slice(0, LETTERS);
}

/** The content that an open page already shows, as its script says it. */
export function shownIn(search: string): string | undefined {
  return new URLSearchParams(search).get('shown') ?? undefined;
}
