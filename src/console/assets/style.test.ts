import { describe, expect, it } from 'vitest';
import { STYLE } from './style.ts';

const [light = '', dark = ''] = [...STYLE.matchAll(/:root \{([^}]*)\}/g)].map(([, body]) => body ?? '');

function colours(...blocks: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    blocks.flatMap((block) =>
      [...block.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6})/g)].map(([, n, c]) => [n ?? '', c ?? '']),
    ),
  );
}

/** As WCAG counts it. */
function contrast(a: string, b: string): number {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((from) => Number.parseInt(colour.slice(from, from + 2), 16) / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const TEXT = [
  ...['ink', 'dim', 'link'].flatMap((ink) => ['bg', 'card', 'hover'].map((under) => [ink, under] as const)),
  ...['good', 'wait', 'bad'].map((tone) => [tone, `${tone}-bg`] as const),
  ...['bad', 'wait'].map((tone) => [tone, 'card'] as const),
  ['ink', 'idle-bg'] as const,
  ...Array.from({ length: 10 }, (_, index) => ['v-ink', `v${index}`] as const),
];

describe.each([
  { scheme: 'light', colour: colours(light) },
  { scheme: 'dark', colour: colours(light, dark) },
])('the $scheme scheme', ({ colour }) => {
  it.each(TEXT)('%s can be read on %s', (ink, under) => {
    expect(contrast(colour.get(ink) ?? '', colour.get(under) ?? '')).toBeGreaterThanOrEqual(4.5);
  });

  it.each(Array.from({ length: 10 }, (_, index) => [`v${index}`]))('%s can be seen on a card', (bar) => {
    expect(contrast(colour.get(bar) ?? '', colour.get('card') ?? '')).toBeGreaterThanOrEqual(3);
  });
});
