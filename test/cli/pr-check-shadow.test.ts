import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CheckedRepository, checkedRepository } from '../support/pr-check.ts';

let repository: CheckedRepository;
beforeEach(async () => {
  repository = await checkedRepository();
});
afterEach(() => repository.dispose());

const FILE = 'data/integrations/openshift-namespaces.yml';
/** The candidate would delete something in one shard; `$DIR` is shared by all runs. */
const SCRIPT = `[ "$DRY_RUN$RUN_ONCE" = --dry-runtrue ]; echo "[INFO] ['apply', '$4', '$(grep -c d90b2ac "$ECHELON_DATA/${FILE}")']"
  [ "$IMAGE_TAG" != d90b2ac ] || [ "$3" = x ] || echo "[INFO] ['delete', 'gone | @all']"`;

/** Pins a shard that was pinned already to another image. */
function move(tag = 'd90b2ac'): void {
  repository.edit(FILE, (text) => text.replace("imageRef: '0473914'", `imageRef: '${tag}'`));
  repository.commit();
}

function report(script: string, more: readonly string[] = []) {
  const runner = ['--runner', 'process', '--shell', '--command', script];
  return repository.report(['--shadow', ...runner, ...more]) as Promise<
    Awaited<ReturnType<CheckedRepository['report']>> & {
      failures: string[];
      shadows?: {
        reports: {
          integration: string;
          shards: {
            shard: { name: string };
            comparison: { result: string; actions: object };
            runs: Record<'baseline' | 'candidate', { image: string; log: string }>;
          }[];
        }[];
        notes: string[];
      };
    }
  >;
}

describe('pr-check --shadow', () => {
  it('compares the image that a change introduces with the one at base, on the data of the change', async () => {
    move();
    const outputs = ['--markdown', repository.path('r.md'), '--junit', repository.path('r.xml')];
    const { code, failures, shadows } = await report(SCRIPT, outputs);
    expect([code, failures]).toEqual([1, ['1 of 1 shadow different']]);
    const [only] = shadows?.reports ?? [];
    const [shard, ...others] = only?.shards ?? [];
    expect([only?.integration, shard?.shard.name, others]).toEqual(['openshift-namespaces', 'app-sre', []]);
    const images = [shard?.runs.baseline.image, shard?.runs.candidate.image].map((image) => image?.split(':').at(-1));
    expect(images).toEqual(['0473914', 'd90b2ac']);
    expect(shard?.comparison.actions).toMatchObject({
      common: 1,
      onlyInBaseline: [],
      onlyInCandidate: [{ text: "['delete', 'gone | @all']", count: 1 }],
    });
    const log = repository.logs().find((name) => name.endsWith('_baseline.txt')) ?? '';
    expect(repository.log(log)).toContain("'1']\n");
    const markdown = readFileSync(repository.path('r.md'), 'utf8');
    expect(markdown).toContain('**Shadow of openshift-namespaces**: 1 shard: 1 different');
    expect(markdown).toContain("\n+['delete', 'gone | @all']\n```");
    expect(readFileSync(repository.path('r.xml'), 'utf8')).toContain(
      '<testsuite name="shadow of openshift-namespaces"',
    );
  });

  it('passes where the new image would do the same', async () => {
    move();
    const { code, shadows } = await report('echo "[INFO] same"');
    expect([code, shadows?.reports[0]?.shards[0]?.comparison.result]).toEqual([0, 'same']);
    const table = ['--shadow', '--runner', 'process', '--shell', '--command', 'echo "[INFO] same"'];
    expect((await repository.check(table)).stdout).toMatch(
      /^same +app-sre +app-interface-production +0473914 +d90b2ac/m,
    );
  });

  it('starts nothing where no image changes', async () => {
    repository.edit(FILE, (text) => text.replace('memory: 1Gi', 'memory: 2Gi'));
    repository.commit();
    const { code, shadows } = await report('touch started; exit 1');
    expect([code, shadows]).toEqual([0, { reports: [], notes: [] }]);
  });

  it('starts nothing that writes in dry run, and says so', async () => {
    repository.write('caps.yml', "openshift-namespaces: ['--cluster-name', WRITES_IN_DRY_RUN]\n");
    move();
    const { shadows } = await report('exit 1', ['--capabilities', `${repository.root}/caps.yml`]);
    expect(shadows?.reports).toEqual([]);
    expect(shadows?.notes.join()).toContain('openshift-namespaces writes in dry run');
    expect(repository.logs()).toEqual([]);
  });

  it('starts nothing where the change adds errors', async () => {
    repository.edit(FILE, (text) => text.replace('memory: 1Gi', 'memory: 1Gazillion').replace("'0473914'", 'd90b2ac'));
    repository.commit();
    const { code, shadows } = await report('exit 1');
    expect([code, shadows?.notes]).toEqual([1, ['nothing compared: the change adds data errors']]);
    expect(repository.logs()).toEqual([]);
  });

  it('needs the rendered workloads', async () => {
    const { code, stderr } = await repository.check([
      '--shadow',
      '--no-render',
      '--runner',
      'process',
      '--command',
      'x',
    ]);
    expect([code, stderr]).toEqual([64, expect.stringContaining('--no-render')]);
  });
});
