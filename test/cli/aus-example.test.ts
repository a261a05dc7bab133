import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AusCli, ausCli } from '../support/aus-cli.ts';
import { REPO } from '../support/shared.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';

const NAMES = ['stage-1', 'stage-2', 'prod-1', 'prod-2'];
const FLEET = upgradeFleet([{ id: 'org-1', clusters: NAMES.map((name) => ({ ...member(name), aus: {} })) }]);

let cli: AusCli;
beforeEach(async () => {
  cli = await ausCli(FLEET);
});
afterEach(() => cli.dispose());

describe('two stages of two clusters, set up step by step', () => {
  it('ends with labels that the scheduler takes and that no lint complains about', async () => {
    for (const [name, days] of [
      ['stage-1', '0'],
      ['stage-2', '1'],
      ['prod-1', '5'],
      ['prod-2', '5'],
    ] as const) {
      const sector = name.split('-')[0] ?? '';
      const where = ['--sector', sector, '--mutex', `${sector}-mutex`, '--soak-days', days];
      const what = ['--cluster-name', name, '--schedule', 'weekdays', '--workload', 'my-service'];
      expect((await cli.run(['apply', 'policies', ...what, ...where])).code).toBe(0);
    }
    await cli.run(['apply', 'sectors', '--add-dep', 'prod=stage']);
    await cli.run(['apply', 'version-blocks', '--block-version', '^4\\.13\\..*$']);
    expect(await cli.run(['validate'])).toEqual({ code: 0, stdout: '0 errors, 0 warnings.\n', stderr: '' });
    expect(NAMES.map((name) => cli.labels(`${name}-sub`))).toEqual(
      (
        [
          ['stage', '0'],
          ['stage', '1'],
          ['prod', '5'],
          ['prod', '5'],
        ] as const
      ).map(([sector, days]) => ({
        mutexes: `${sector}-mutex`,
        schedule: '* * * * 1-4',
        sector,
        'soak-days': days,
        workloads: 'my-service',
      })),
    );
    expect(cli.labels('org-1')).toEqual({ 'blocked-versions': '^4\\.13\\..*$', 'sector-deps.prod': 'stage' });
  });

  it('says only what a change makes wrong, and counts the rest', async () => {
    const apply = (name: string) => ['apply', 'policies', '-c', name, '-s', 'anytime', '-w', name, '-d', '1'];
    expect((await cli.run(apply('stage-1'))).stderr).toContain('no cluster with the workload stage-1 has 0 soak days');
    const { stderr } = await cli.run(apply('stage-2'));
    expect(stderr).toContain('the workload stage-2');
    expect(stderr).not.toContain('the workload stage-1');
    expect(stderr).toContain('note: 1 other problem here');
  });
});

describe('ocm-aus', () => {
  it('runs echelon aus beside it, whatever it is called through', () => {
    const folder = mkdtempSync(join(tmpdir(), 'echelon-ocm-aus-'));
    try {
      mkdirSync(join(folder, 'home/bin'), { recursive: true });
      copyFileSync(join(REPO, 'bin/ocm-aus'), join(folder, 'home/bin/ocm-aus'));
      writeFileSync(join(folder, 'home/bin/echelon'), '#!/bin/sh\nprintf "<%s>" "$@"\n', { mode: 0o755 });
      symlinkSync('home/bin/ocm-aus', join(folder, 'ocm-aus'));
      const { stdout } = spawnSync(join(folder, 'ocm-aus'), ['get', 'policies', '-o', 'a b'], { encoding: 'utf8' });
      expect(stdout).toBe('<aus><get><policies><-o><a b>');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
