import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';

let fleet: SimFleet;
beforeEach(async () => {
  fleet = await simFleet();
  expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
});
afterEach(() => fleet.dispose());

async function baselines(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr } = await fleet.cli(
    [
      ...['shadow', 'terraform-resources', '--candidate', '0473914', '--log-dir', fleet.manager.path('logs')],
      ...['--runner', 'process', '--shell', '--command', 'true', '-o', 'json', ...args],
    ],
    { env },
  );
  expect(stderr).not.toContain('error');
  const { shards } = JSON.parse(stdout) as {
    shards: {
      shard: { name: string };
      runs: Record<'baseline' | 'candidate', { image: string }>;
      comparison: { notes: string[] };
    }[];
  };
  return shards.map(({ shard, runs, comparison: { notes } }) => ({
    shard: shard.name,
    images: `${runs.baseline.image.split(':').at(-1)} → ${runs.candidate.image.split('/').at(-1)}`,
    note: notes.find((text) => text.includes('declared')),
  }));
}

describe('the baseline of a shadow', () => {
  it('is what each shard runs, not what it should run; reading it writes nothing', async () => {
    fleet.write(
      'environments/lab.yml',
      '$schema: /app-sre/environment-1.yml\nname: lab\nservicePhase: production\nproduct: { $ref: /product.yml }\nparameters: { IMAGE_TAG: d90b2ac }\n',
    );
    const before = writesOf(fleet.sim).length;
    const images = 'f929a38 → qontract-reconcile:0473914';
    expect(await baselines()).toEqual(['alpha', 'beta', 'gamma'].map((shard) => ({ shard, images, note: undefined })));
    expect(writesOf(fleet.sim)).toHaveLength(before);
  });

  it('is what is declared, with a note, where the cluster cannot be read', async () => {
    const [first] = await baselines(['--shard', 'alpha'], { KUBECONFIG: '/dev/null' });
    expect(first).toEqual({
      shard: 'alpha',
      images: 'f929a38 → qontract-reconcile:0473914',
      note: expect.stringMatching(/^the baseline is the declared image: .*lab/),
    });
  });
});
