import type { Instant } from '../gates/index.ts';
import type { Html } from './html.ts';
import { document, unchanged, type View } from './page.ts';
import { shownText } from './shown.ts';
import type { ConsoleState } from './state.ts';
import { agedTimes } from './times.ts';

export interface ConsoleResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The state to show, the current time, and who asks. */
export interface Moment {
  readonly state: ConsoleState;
  readonly now: Instant;
  /** What the page that asks shows already. */
  readonly shown?: string;
}

export const TYPES = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

export function text(status: number, body: string): ConsoleResponse {
  return { status, type: TYPES.text, body };
}

export function json(body: string): ConsoleResponse {
  return { status: 200, type: TYPES.json, body };
}

interface PageParts {
  readonly view?: View;
  /** The URL of the same view as JSON. */
  readonly json?: string;
  readonly body: Html;
}

/** A page, or only what differs on every one when the content is what the page that asks already shows. */
export function page(status: number, title: string, parts: PageParts, at: Moment): ConsoleResponse {
  const content = agedTimes(parts.body, at.now);
  const shown = shownText(title, content);
  const body = at.shown === shown ? unchanged(shown, at) : document({ title, shown, ...parts, body: content }, at);
  return { status, type: TYPES.html, body };
}

export function redirect(to: string): ConsoleResponse {
  return { ...text(302, `${to}\n`), headers: { location: to } };
}
