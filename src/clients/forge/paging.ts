import { ForgeError } from './forge-error.ts';

export const PER_PAGE = 100;
export const MAX_PAGES = 10;

/** All items of a list that comes in pages. */
export async function allPages<T>(name: string, page: (number: number) => Promise<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for (let number = 1; number <= MAX_PAGES; number += 1) {
    const items = await page(number);
    all.push(...items);
    if (items.length < PER_PAGE) return all;
  }
  throw new ForgeError({
    code: 'FORGE_LIST_TOO_LONG',
    message: `${name} has ${PER_PAGE * MAX_PAGES} entries or more`,
    hint: 'close what is no longer needed',
  });
}
