import { expect, it } from 'vitest';
import { html } from './html.ts';
import { badge } from './parts.ts';

it('the words of a badge stand together, whatever is in them', () => {
  const words = html`opens <time>tomorrow</time> <small>(in 1 day)</small>, and after it`;
  expect(badge('wait', words).text).toBe(
    `<span class="badge wait"><i aria-hidden="true">◷</i><span>${words.text}</span></span>`,
  );
});
