import { expect, it } from 'vitest';
import { html } from './html.ts';
import { badge, sourceUrl } from './parts.ts';

it('the words of a badge stand together, whatever is in them', () => {
  const words = html`opens <time>tomorrow</time> <small>(in 1 day)</small>, and after it`;
  expect(badge('wait', words).text).toBe(
    `<span class="badge wait"><i aria-hidden="true">◷</i><span>${words.text}</span></span>`,
  );
});

it.each([
  { repository: 'https://github.com/o/r.git', url: 'https://github.com/o/r/blob/abc/data/a%20b.yml#L3' },
  { repository: 'https://gitlab.example/g/s/r/', url: 'https://gitlab.example/g/s/r/-/blob/abc/data/a%20b.yml#L3' },
  { repository: 'https://me:secret@gitlab.example/r', url: 'https://gitlab.example/r/-/blob/abc/data/a%20b.yml#L3' },
  { repository: 'javascript:alert(1)', url: undefined },
  { repository: 'git@github.com:o/r.git', url: undefined },
])('a line in $repository is $url', ({ repository, url }) => {
  expect(sourceUrl({ repository, commit: 'abc' }, 'data/a b.yml', 3)).toBe(url);
});
