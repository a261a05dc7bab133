import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { dashboards } from '../deploy/deployed.ts';
import { promtool, runPromtool } from '../support/real-promtool.ts';
import { REPO } from '../support/shared.ts';

const ALERTS = join(REPO, 'deploy/alerts');
const ruleFiles = globSync('*.yaml', { cwd: ALERTS }).sort();
const testFiles = globSync('tests/*.yaml', { cwd: ALERTS }).sort();

let binary: string;
beforeAll(async () => {
  binary = await promtool();
});

describe('promtool', () => {
  it('finds nothing wrong with the rules', async () => {
    expect(ruleFiles).toEqual(['manager.yaml', 'service.yaml', 'upgrades.yaml']);
    const { code, output } = await runPromtool(binary, ['check', 'rules', '--lint-fatal', ...ruleFiles]);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('SUCCESS') });
  });

  it.each(testFiles)('sees each alert fire, and not fire, in %s', async (file) => {
    const { code, output } = await runPromtool(binary, ['test', 'rules', file]);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('SUCCESS') });
  });

  it('finds what is wrong, so that the above means something', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'echelon-promtool-'));
    try {
      const broken = join(folder, 'broken.yaml');
      writeFileSync(broken, readFileSync(join(ALERTS, 'service.yaml'), 'utf8').replace('sum by (job', 'sum by ((job'));
      expect((await runPromtool(binary, ['check', 'rules', broken])).code).not.toBe(0);
      const tests = readFileSync(join(ALERTS, 'tests/service.yaml'), 'utf8').replaceAll('../', `${ALERTS}/`);
      const unmet = join(folder, 'unmet.yaml');
      writeFileSync(unmet, tests.replace('severity: page', 'severity: info'));
      expect((await runPromtool(binary, ['test', 'rules', unmet])).code).not.toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  /** Variables of Grafana stand in strings and in ranges; there a value of each kind takes their place. */
  it.each(dashboards())('can read the queries of $file', async ({ panels }) => {
    const folder = mkdtempSync(join(tmpdir(), 'echelon-promtool-'));
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const rules = queries.map((expr, at) => ({
      record: `query:${at}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    try {
      const file = join(folder, 'queries.yaml');
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
      const { code, output } = await runPromtool(binary, ['check', 'rules', '--lint=none', file]);
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(`${queries.length} rules found`) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
