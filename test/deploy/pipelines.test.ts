import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { REPO } from '../support/shared.ts';

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly script?: readonly string[];
  readonly steps?: readonly Step[];
  readonly variables?: Readonly<Record<string, string>>;
}

const read = (file: string): Record<string, unknown> =>
  load(readFileSync(join(REPO, file), 'utf8')) as Record<string, unknown>;
const github = (file: string): Job[] =>
  Object.values((read(`.github/workflows/${file}`) as { jobs: Record<string, Job> }).jobs);
const gitlab = (job: string): Job[] => [read('.gitlab-ci.yml')[job] as Job];
const commandsOf = (jobs: readonly Job[]): string[] =>
  jobs.flatMap(({ script = [], steps = [] }) => [...script, ...steps.flatMap(({ run = [] }) => run)]);

const PIPELINES = [
  { name: 'GitHub', ci: github('ci.yml'), release: github('release.yml') },
  { name: 'GitLab', ci: gitlab('ci'), release: gitlab('release') },
];

describe.each(PIPELINES)('the pipelines of $name', ({ ci, release }) => {
  it('run what a checkout has: .ci/run for a change, make release for a tag', () => {
    expect(commandsOf(ci)).toEqual(['.ci/run']);
    expect(commandsOf(release)[0]).toBe('make release');
    accessSync(join(REPO, '.ci/run'), constants.X_OK);
    expect(readFileSync(join(REPO, 'Makefile'), 'utf8')).toMatch(/^release: \$\(READY\) ## /m);
  });

  it('let make release compare the tag with the version', () => {
    const set = release.flatMap(({ variables = {}, steps = [] }) => [
      variables,
      ...steps.filter(({ run }) => run === 'make release').map(({ env = {} }) => env),
    ]);
    expect(set.some((variables) => 'RELEASE_TAG' in variables)).toBe(true);
  });
});
