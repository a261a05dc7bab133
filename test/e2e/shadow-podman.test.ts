import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPodman, type Podman } from '../support/podman.ts';
import { runCli } from '../support/run-cli.ts';
import { SHADOW_SHARD, SHADOWED, type ShadowWorld, shadowWorld } from '../support/shadow.ts';

/** Reports what it was given as its actions; the version of the image decides how many and how it ends. */
const PROGRAM = `package main

import (
	"fmt"
	"os"
	"time"
)

func say(format string, values ...any) {
	fmt.Printf("[%s] [INFO] [DRY-RUN] [main.go:main:1] - %s\\n", time.Now().Format(time.DateTime), fmt.Sprintf(format, values...))
}

func main() {
	version, _ := os.ReadFile("/version")
	files, err := os.ReadDir(os.Getenv("ECHELON_DATA") + "/data")
	say("['read', %d, '%s', '%s', '%s']", len(files), os.Getenv("DRY_RUN"), os.Getenv("RUN_ONCE"), os.Getenv("INTEGRATION_EXTRA_ARGS"))
	say("['token', '%s', '%s']", os.Getenv("MY_TOKEN"), os.Getenv("PUSHGATEWAY_ENABLED"))
	if err := os.WriteFile(os.Getenv("ECHELON_DATA")+"/data/x", nil, 0o644); err == nil {
		say("['wrote', 'data']")
	}
	switch {
	case err != nil:
		os.Exit(9)
	case string(version) == "more":
		say("['delete', 'c1', 'ns1']")
	case string(version) == "crash":
		panic("broken")
	}
}
`;

const IMAGE = 'localhost/echelon-shadow';
const TAGS = ['old', 'new', 'more', 'crash'];
const scratch = mkdtempSync(join(tmpdir(), 'echelon-podman-'));

function image(podman: Podman, tag: string, program: string): void {
  writeFileSync(join(scratch, 'main.go'), program);
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod' };
  execFileSync('go', ['build', '-o', 'program', 'main.go'], { cwd: scratch, env, stdio: 'pipe' });
  writeFileSync(join(scratch, 'version'), tag);
  writeFileSync(join(scratch, 'Containerfile'), 'FROM scratch\nCOPY program version /\nENTRYPOINT ["/program"]\n');
  podman.run(['build', '--tag', `${IMAGE}:${tag}`, '.']);
}

function build(podman: Podman): void {
  image(podman, 'probe', 'package main\n\nfunc main() {}\n');
  for (const tag of TAGS) image(podman, tag, PROGRAM);
}

const engine = findPodman({ scratch, probe: { image: `${IMAGE}:probe`, make: build } });
if (typeof engine === 'string') rmSync(scratch, { recursive: true, force: true });
const reason = typeof engine === 'string' ? ` (skipped: ${engine})` : '';

describe.skipIf(typeof engine === 'string')(`shadow with podman${reason}`, () => {
  const { bin, run } = engine as Podman;
  let world: ShadowWorld;
  beforeEach(() => {
    world = shadowWorld();
  });
  afterEach(() => world.dispose());
  afterAll(() => (engine as Podman).dispose());

  async function shadow(candidate: string) {
    const { code, stdout, stderr } = await runCli(
      [
        ...['shadow', SHADOWED, ...SHADOW_SHARD, '--baseline', `${IMAGE}:old`, '--candidate', candidate, '-o', 'json'],
        ...['--data', world.root, '--log-dir', world.path('logs'), '--env', 'MY_TOKEN'],
        ...['--engine-arg=--pull=never', '--engine-arg=--network=none', '--engine-arg=--env=DRY_RUN=--no-dry-run'],
      ],
      { env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, MY_TOKEN: 'correct-horse-battery' } },
    );
    expect(stdout + stderr).not.toContain('correct-horse');
    const [shard] = JSON.parse(stdout).shards;
    return { code, comparison: shard.comparison };
  }

  it('runs both containers in dry run on the same data, which they cannot change, and leaves none', async () => {
    const { code, comparison } = await shadow('new');
    expect([code, comparison.result, comparison.actions.common]).toEqual([0, 'same', 2]);
    const { baseline = '', candidate = '' } = world.logs();
    for (const log of [baseline, candidate]) {
      expect(log).toContain("['read', 7, '--dry-run', 'true', '--thread-pool-size 5 --cluster-name beta']");
      expect(log).toContain("['token', '***', '']");
    }
    expect(run(['ps', '--all', '--quiet'])).toBe('');
  });

  it('shows exactly what the candidate would delete', async () => {
    const { code, comparison } = await shadow('more');
    expect([code, comparison.actions.onlyInBaseline]).toEqual([1, []]);
    expect(comparison.actions.onlyInCandidate).toEqual([{ text: "['delete', 'c1', 'ns1']", count: 1 }]);
  });

  it.each([
    { given: 'crashes', candidate: 'crash', says: 'the candidate failed: exit 2' },
    { given: 'does not exist', candidate: 'absent', says: 'the candidate failed: exit 125' },
  ])('cannot compare a candidate that $given', async ({ candidate, says }) => {
    const { code, comparison } = await shadow(candidate);
    expect([code, comparison.result]).toEqual([2, 'inconclusive']);
    expect(comparison.reasons).toContain(says);
    expect(world.logs()['baseline']?.split('\n')).toHaveLength(3);
    expect(run(['ps', '--all', '--quiet'])).toBe('');
  });
});
