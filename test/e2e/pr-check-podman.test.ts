import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPodman, type Podman } from '../support/podman.ts';
import { type CheckedRepository, checkedRepository, type PrCheckReport } from '../support/pr-check.ts';

/** Tells what it was given; one integration fails, and one does not end. */
const PROGRAM = `package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	version, _ := os.ReadFile("/version")
	fmt.Printf("%s %s %s [%s]\\n", version, os.Getenv("DRY_RUN"), os.Getenv("INTEGRATION_NAME"), os.Getenv("INTEGRATION_EXTRA_ARGS"))
	for _, name := range []string{"GIVEN", "MODE", "LINES", "GITLAB_TOKEN"} {
		if value, set := os.LookupEnv(name); set {
			fmt.Printf("%s=%q\\n", name, value)
		}
	}
	switch os.Getenv("INTEGRATION_NAME") {
	case "ldap-users":
		os.Exit(3)
	case "openshift-groups":
		time.Sleep(time.Hour)
	}
}
`;

const IMAGE = 'localhost/echelon-pr-check';
const TAGS = ['8c41f7e', '0473914'];

const scratch = mkdtempSync(join(tmpdir(), 'echelon-podman-'));
const ARGS = ['--pull=never', '--network=none'];

function build(podman: Podman): void {
  writeFileSync(join(scratch, 'main.go'), PROGRAM);
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod' };
  execFileSync('go', ['build', '-o', 'program', 'main.go'], { cwd: scratch, env, stdio: 'pipe' });
  for (const tag of TAGS) {
    writeFileSync(join(scratch, 'version'), tag);
    writeFileSync(join(scratch, 'Containerfile'), 'FROM scratch\nCOPY program version /\nENTRYPOINT ["/program"]\n');
    podman.run(['build', '--tag', `${IMAGE}:${tag}`, '.']);
  }
}

const engine = findPodman({ scratch, probe: { image: `${IMAGE}:${TAGS[0]}`, make: build } });
if (typeof engine === 'string') rmSync(scratch, { recursive: true, force: true });
const reason = typeof engine === 'string' ? ` (skipped: ${engine})` : '';

describe.skipIf(typeof engine === 'string')(`pr-check with podman${reason}`, () => {
  const { bin, run } = engine as Podman;
  const containers = (): string => run(['ps', '--all', '--quiet']);
  let repository: CheckedRepository;
  beforeEach(async () => {
    repository = await checkedRepository();
  });
  afterEach(() => repository.dispose());
  afterAll(() => (engine as Podman).dispose());

  function check(more: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<PrCheckReport> {
    const engineArgs = ARGS.map((arg) => `--engine-arg=${arg}`);
    return repository.report(['--no-render', '--run', '--image', IMAGE, ...engineArgs, ...more], {
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, ...env },
    });
  }

  function touch(...names: readonly string[]): void {
    for (const name of names) repository.edit(`data/integrations/${name}.yml`, (text) => `${text}# touched\n`);
    repository.commit();
  }

  it('runs each image for its shards, in dry-run, and leaves no container', async () => {
    touch('terraform-resources', 'ldap-users');
    const report = await check();
    expect(report.results?.map(({ name, end, exitCode }) => [name, end, exitCode])).toEqual([
      ['integrations-manager', 'passed', 0],
      ['ldap-users', 'failed', 3],
      ['terraform-resources', 'passed', 0],
      ['terraform-resources_0473914', 'passed', 0],
    ]);
    expect(repository.log('reconcile-terraform-resources.txt')).toBe(
      '8c41f7e --dry-run terraform-resources [--exclude-accounts app-sre --exclude-accounts payments]\n',
    );
    expect(repository.log('reconcile-terraform-resources_0473914.txt')).toBe(
      '0473914 --dry-run terraform-resources [--account-name app-sre --account-name payments]\n',
    );
    expect(report.code).toBe(1);
    expect(containers()).toBe('');
  });

  it('gives a container what --env names, as it is, nothing else of the caller, and a dry run', async () => {
    touch('slack-usergroups');
    const mode = `a "b" 'c' $HOME \\ =d`;
    const given = ['--env', 'GIVEN', '--env', `MODE=${mode}`, '--env', 'LINES', '--env', 'DRY_RUN=--no-dry-run'];
    const { results } = await check(given, { GIVEN: 'of the caller', LINES: 'one\ntwo', GITLAB_TOKEN: 'glpat-secret' });
    expect(results?.map(({ end }) => end)).toEqual(['passed', 'passed', 'passed']);
    const log = repository.log('reconcile-slack-usergroups.txt').split('\n');
    expect(log[0]).toContain(' --dry-run slack-usergroups ');
    expect(log.slice(1, 4)).toEqual([
      'GIVEN="of the caller"',
      `MODE=${JSON.stringify(mode)}`,
      `LINES=${JSON.stringify('one\ntwo')}`,
    ]);
    expect(log.join('\n')).not.toContain('GITLAB_TOKEN');
  });

  it('removes a container that does not end', async () => {
    touch('openshift-groups');
    const report = await check(['--timeout', '15s']);
    expect(report.results).toMatchObject([
      { name: 'integrations-manager', end: 'passed' },
      { name: 'openshift-groups', end: 'timed-out' },
    ]);
    expect(containers()).toBe('');
  });

  it('says why an image cannot be run', async () => {
    repository.edit('data/integrations/ldap-users.yml', (text) =>
      text.replace('  sqs: true', '  sqs: true\n  imageRef: absent'),
    );
    repository.commit();
    const report = await check();
    expect(report.results).toContainEqual(
      expect.objectContaining({ name: 'ldap-users_absent', end: 'failed', exitCode: 125 }),
    );
    expect(repository.log('reconcile-ldap-users_absent.txt')).toContain('echelon-pr-check:absent');
  });
});
