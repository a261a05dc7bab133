import { describe, expect, it } from 'vitest';
import { type ReleaseFacts, releaseProblems } from './release-problems.ts';

const fit: ReleaseFacts = {
  version: '1.2.0',
  changelog: '# Changelog\n\n## 1.2.0 (2027-01-01)\n\n## 1.1.0\n',
  charts: [{ name: 'echelon', version: '1.2.0', appVersion: '1.2.0' }],
};

describe('release problems', () => {
  it.each([
    { given: 'everything of one version', more: {}, problems: [] },
    { given: 'its tag', more: { tag: 'v1.2.0' }, problems: [] },
    {
      given: 'another tag',
      more: { tag: 'v1.3.0' },
      problems: ['the tag is v1.3.0, but package.json has 1.2.0'],
    },
    {
      given: 'a changelog that ends before it',
      more: { changelog: '# Changelog\n\n## 1.1.0\n\n## 1.2.01\n\nSee 1.2.0\n' },
      problems: ['CHANGELOG.md has no section "## 1.2.0"'],
    },
    {
      given: 'a chart that was forgotten',
      more: { charts: [{ name: 'echelon', version: '1.2.0', appVersion: '1.1.0' }] },
      problems: ['charts/echelon/Chart.yaml has appVersion 1.1.0, but package.json has 1.2.0'],
    },
  ])('with $given are $problems', ({ more, problems }) => {
    expect(releaseProblems({ ...fit, ...more })).toEqual(problems);
  });
});
