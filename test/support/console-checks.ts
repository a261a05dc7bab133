import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIOLATIONS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).slice(0, 3).join(', ')))`;

/** What axe finds, with the elements. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return (await page.evaluate(VIOLATIONS)) as string[];
}

const ACROSS = `[...document.querySelectorAll('body *')].filter((each) => {
  const { right, width } = each.getBoundingClientRect();
  return width > 1 && right > innerWidth + 1;
}).map((each) => each.tagName + '.' + each.getAttribute('class')).slice(0, 3)`;

/** What reaches beyond the right edge; the width of the document when it is wider than the window. */
export async function overflowOn(page: Page): Promise<string[]> {
  const across = (await page.evaluate(ACROSS)) as string[];
  const [wide, window] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [
    number,
    number,
  ];
  return wide > window ? [...across, `${wide} px wide`] : across;
}
