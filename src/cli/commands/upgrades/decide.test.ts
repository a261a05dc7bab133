import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextOf } from '../../context.ts';
import type { Io } from '../../io.ts';
import type { DecideFlags } from './commands.ts';
import { decide } from './decide.ts';

const FACTS = {
  now: '2024-03-01T10:00:00Z',
  org_blocked_versions: [] as string[],
  sectors: [],
  clusters: [
    {
      ...{ id: 'h-id', uuid: 'h-uuid', name: 'h', version: '4.12.17', available_upgrades: [], channel: 'stable' },
      ...{ available_channels: [], hypershift: true, product: 'rosa', sts: false, soak_days: 0, workloads: ['wl'] },
      ...{ schedule: '0 23 * * *', node_pools: [{ id: 'np', version: '4.12.16' }] },
    },
  ],
  existing_policies: [],
  version_data: {},
  version_gates: [],
  agreements: {},
};

describe('upgrades decide', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'echelon-decide-'));
    writeFileSync(join(folder, 'facts.json'), JSON.stringify(FACTS));
    writeFileSync(
      join(folder, 'stopped.json'),
      JSON.stringify({ ...FACTS, sectors: [{ name: 's', dependencies: ['s'] }] }),
    );
    writeFileSync(join(folder, 'broken.json'), '{');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function run(flags: Partial<DecideFlags>) {
    const written: string[] = [];
    const output = { isTTY: false, write: (text: string) => void written.push(text) };
    const io: Io = { stdout: output, stderr: output, env: {}, cwd: folder, signal: new AbortController().signal };
    const code = await decide(contextOf(io), { filename: 'facts.json', output: 'json', ...flags });
    return { code, stdout: written.join('') };
  }

  it.each([
    { rules: undefined, created: 0 },
    { rules: 'qontract', created: 1 },
    { rules: 'nodePoolsFollowSchedule', created: 0 },
  ])('with --rules $rules creates $created', async ({ rules, created }) => {
    const { code, stdout } = await run(rules === undefined ? {} : { rules });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).create).toHaveLength(created);
  });

  it('prints YAML, and verdicts when asked', async () => {
    expect((await run({ output: 'yaml' })).stdout).toMatch(/^order:\n {2}- h\n/);
    expect(JSON.parse((await run({ explain: true })).stdout).verdicts).toHaveLength(1);
  });

  it('fails, and prints why, when the organization is stopped', async () => {
    const { code, stdout } = await run({ filename: 'stopped.json' });
    expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 1, error: expect.stringContaining('dependency cycle') });
  });

  it.each([
    { flags: { filename: 'absent.json' }, code: 'FACTS_UNREADABLE', says: 'cannot read absent.json: ENOENT' },
    { flags: { filename: '.' }, code: 'FACTS_UNREADABLE', says: 'cannot read .: EISDIR' },
    { flags: { filename: 'broken.json' }, code: 'FACTS_INVALID', says: 'broken.json is not JSON' },
    { flags: { rules: 'nope' }, code: 'FLAG_INVALID', says: '"nope"' },
  ])('refuses $flags', async ({ flags, code, says }) => {
    await expect(run(flags)).rejects.toMatchObject({ code, message: expect.stringContaining(says) });
  });
});
