import type { Instant } from '../gates/index.ts';
import type { Html } from './html.ts';
import { document, type View } from './page.ts';
import type { ConsoleState } from './state.ts';

export interface ConsoleResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The state to show and the current time. */
export interface Moment {
  readonly state: ConsoleState;
  readonly now: Instant;
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

export function page(status: number, title: string, parts: PageParts, { state, now }: Moment): ConsoleResponse {
  return { status, type: TYPES.html, body: document({ title, ...parts }, state, now) };
}

export function redirect(to: string): ConsoleResponse {
  return { ...text(302, `${to}\n`), headers: { location: to } };
}
