import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBundle, bundleText } from '../support/build-bundle.ts';
import { copyInstance } from '../support/instance-copy.ts';
import { startQontractServer } from '../support/qontract-server.ts';
import { runCli } from '../support/run-cli.ts';
import { SHADOW_IMAGES, SHADOW_SHARD, SHADOWED, type ShadowWorld, shadowWorld } from '../support/shadow.ts';
import { GRAPHQL_SCHEMA, hasShared } from '../support/shared.ts';
import { until } from '../support/until.ts';

let world: ShadowWorld;
beforeEach(() => {
  world = shadowWorld();
});
afterEach(() => world.dispose());

const PLAN = `say "['apply', 'c1', 'ns1', 'Secret', 'a']"\nsay "['create', 'c1', 'ns2', {'b', 'a'}]"`;
const DELETION = "['delete', 'c1', 'ns1', 'Secret', 'gone']";

async function report(script: string, args: readonly string[] = []) {
  const ran = await world.shadow(script, [SHADOWED, ...SHADOW_SHARD, ...SHADOW_IMAGES, ...args, '-o', 'json']);
  return { ...ran, ...JSON.parse(ran.stdout) };
}

describe('shadow', () => {
  it('calls equal plans the same, and keeps both logs', async () => {
    const { code, stdout } = await world.shadow(PLAN);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^same +beta +lab +old +new +2 +0 +0$/m);
    expect(stdout).toContain('names of resources and changed fields, not their content');
    expect(Object.keys(world.logs())).toEqual(['baseline', 'candidate']);
    expect(world.logs()['candidate']).toContain("[INFO] ['apply', 'c1', 'ns1', 'Secret', 'a']\n");
  });

  it('shows one more deletion as exactly that line', async () => {
    const { code, shards, result } = await report(`[ $IMAGE_TAG = old ] || say "${DELETION}"\n${PLAN}`);
    expect([code, result]).toEqual([1, 'different']);
    expect(shards[0].comparison.actions).toEqual({
      ...{ common: 2, noise: [], onlyInBaseline: [] },
      onlyInCandidate: [{ text: DELETION, count: 1 }],
    });
    const { stdout } = await world.shadow(`[ $IMAGE_TAG = old ] || say "${DELETION}"\n${PLAN}`);
    const diff = stdout.split('\n').filter((line) => /^ {2}[+-]/.test(line));
    expect(diff).toEqual([
      '  --- baseline localhost/example:old',
      '  +++ candidate localhost/example:new',
      `  +${DELETION}`,
    ]);
  });

  it('cannot compare a candidate that crashes; the log of the baseline is intact', async () => {
    const { code, result, shards } = await report(`${PLAN}\n[ $IMAGE_TAG = old ] || kill -SEGV $$`);
    expect([code, result]).toEqual([2, 'inconclusive']);
    expect(shards[0].comparison.reasons).toEqual(['the candidate failed: killed by a signal']);
    expect(world.logs()['baseline']?.split('\n')).toHaveLength(3);
  });

  it('cannot compare what does not end', async () => {
    const { code, shards } = await report('[ $IMAGE_TAG = old ] || exec sleep 3600', ['--timeout', '1s']);
    expect([code, shards[0].comparison.reasons]).toEqual([2, ['the candidate timed out']]);
  });

  it('names what a flaky integration does not repeat as noise', async () => {
    const flaky = `${PLAN}\nif [ $IMAGE_TAG = new ] || mkdir "$DIR/once" 2>/dev/null; then say "['flaky', 'c1']"; fi`;
    const { code, result, shards } = await report(flaky, ['--repeat', '1']);
    expect([code, result]).toEqual([0, 'noise']);
    expect(shards[0].comparison.actions.noise).toEqual([{ text: "['flaky', 'c1']", count: 1 }]);
    expect(Object.keys(world.logs())).toEqual(['baseline.1', 'baseline', 'candidate']);
    const alone = await world.shadow(flaky);
    expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining('--repeat 1')]);
  });

  it('starts both runs together', async () => {
    const meet = `mkdir "$DIR/$IMAGE_TAG"; while [ ! -d "$DIR/old" ] || [ ! -d "$DIR/new" ]; do sleep 0.01; done`;
    expect((await world.shadow(meet)).code).toBe(0);
  });

  it('gives each run a dry run, a folder and a port of its own, and nothing that others see', async () => {
    const tell = `touch here; [ "$(ls)" = here ]; [ "$TMPDIR" = "$PWD" ]
      echo "$DRY_RUN|$MANAGER_DRY_RUN|$RUN_ONCE|$INTEGRATION_NAME|$INTEGRATION_EXTRA_ARGS|$*" > "$DIR/$IMAGE_TAG.run"
      echo "[$PUSHGATEWAY_ENABLED][$SENTRY_DSN][$LOG_FILE][$EARLY_EXIT_COMPARE_SHA]$UNLEASH_API_URL" > "$DIR/$IMAGE_TAG.off"
      echo "$PWD" > "$DIR/$IMAGE_TAG.pwd"; echo "$PROMETHEUS_PORT" > "$DIR/$IMAGE_TAG.port"`;
    const env = [
      'DRY_RUN=--no-dry-run',
      'RUN_ONCE=',
      'PUSHGATEWAY_ENABLED=true',
      'SENTRY_DSN=x',
      'LOG_FILE=/x',
      'UNLEASH_API_URL=u',
    ];
    const args = env.flatMap((text) => ['--env', text]);
    const { code } = await world.shadow(tell, [SHADOWED, ...SHADOW_SHARD, ...SHADOW_IMAGES, ...args]);
    expect(code).toBe(0);
    const told = (name: string): string => world.text(name).trim();
    const words = '--thread-pool-size 5 --cluster-name beta';
    for (const tag of ['old', 'new']) {
      expect(told(`${tag}.run`)).toBe(`--dry-run|--dry-run|true|${SHADOWED}|${words}|${SHADOWED} ${words}`);
      expect(told(`${tag}.off`)).toBe('[][][][]u');
    }
    expect(told('old.pwd')).not.toBe(told('new.pwd'));
    expect(told('old.port')).not.toBe(told('new.port'));
  });

  it('gives both runs one revision of the data, whatever happens to the original meanwhile', async () => {
    const change = `[ $IMAGE_TAG = new ] || { rm -rf '${world.root}/data'; mkdir "$DIR/gone"; }
      while [ ! -d "$DIR/gone" ]; do sleep 0.01; done
      say "$(ls "$ECHELON_DATA/data") $ECHELON_DATA_SHA256"`;
    const { code, stdout } = await world.shadow(change);
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 same')]);
    expect(world.logs()['baseline']).toMatch(/^integration\.yml\n(?:.*\n)* ?.* [0-9a-f]{64}\n$/m);
  });

  it.skipIf(!hasShared)(
    'pins the bundle of a server by its sha, and compares nothing if the server moved on',
    async () => {
      const copy = copyInstance();
      const bundle = (): string => bundleText(buildBundle(copy.root, { graphqlFile: GRAPHQL_SCHEMA }));
      const server = await startQontractServer({ bundle: bundle() });
      const args = [SHADOWED, '--shard', 'app-sre-prod-02', ...SHADOW_IMAGES, '--data', server.url];
      try {
        expect((await world.shadow('say "$ECHELON_DATA"', args)).code).toBe(0);
        expect(world.logs()['candidate']).toBe(`[INFO] ${server.url}/graphqlsha/${server.sha256}\n`);
        const meanwhile = 'mkdir "$DIR/$IMAGE_TAG"; while [ ! -e "$DIR/go" ]; do sleep 0.01; done';
        const running = world.shadow(meanwhile, args);
        await until(() => world.has('old') && world.has('new'), { what: 'both run' });
        copy.remove('data/integrations/slack-usergroups.yml');
        server.reload(bundle());
        writeFileSync(world.path('go'), '');
        const { code, stdout } = await running;
        expect([code, stdout]).toEqual([2, expect.stringContaining('the server has another bundle')]);
      } finally {
        await server.close();
        copy.dispose();
      }
    },
  );
});

describe('shadow starts nothing but dry runs', () => {
  const START = 'touch "$DIR/started"';

  it.each(['gitlab-labeler', 'change-owners', 'external-resources', 'ocm-clusters', 'aws-account-manager'])(
    'so it refuses %s',
    async (name) => {
      const own = shadowWorld((text) => text.replace(SHADOWED, name));
      const { code, stderr } = await own.shadow(START, [name, ...SHADOW_IMAGES]);
      expect([code, own.has('started')]).toEqual([2, false]);
      expect(stderr).toContain(`${name} writes in dry run`);
      own.dispose();
    },
  );

  it('so it refuses a --command that turns it off', async () => {
    const command = ['--runner', 'process', '--command', `touch '${world.path('started')}' --no-dry-run`];
    const { code, stderr } = await runCli(['shadow', SHADOWED, ...SHADOW_IMAGES, '--data', world.root, ...command]);
    expect([code, stderr]).toEqual([64, expect.stringContaining('--command disables the dry run')]);
    expect(world.has('started')).toBe(false);
  });

  it('so it refuses what a capabilities file declares', async () => {
    writeFileSync(world.path('caps.yml'), `${SHADOWED}: ['--cluster-name', WRITES_IN_DRY_RUN]\n`);
    const args = [SHADOWED, ...SHADOW_SHARD, ...SHADOW_IMAGES, '--capabilities', world.path('caps.yml')];
    const { code, stderr } = await world.shadow(START, args);
    expect([code, world.has('started'), stderr]).toEqual([2, false, expect.stringContaining('SHADOW_REFUSED')]);
  });

  it.each([
    {
      given: 'capabilities in its own file',
      from: 'schemas: []',
      to: "schemas: []\ncapabilities: ['--cluster-name', WRITES_IN_DRY_RUN]",
    },
    { given: 'arguments that turn it off', from: '--thread-pool-size 5', to: '--no-dry-run' },
    { given: 'a command that turns it off', from: 'extraArgs:', to: 'command: x --no-dry-run\n    extraArgs:' },
    { given: 'quoted arguments that turn it off', from: '--thread-pool-size', to: "--x '--no-dry-run'" },
  ])('so it refuses $given', async ({ from, to }) => {
    const own = shadowWorld((text) => text.replace(from, to));
    const { code, stderr } = await own.shadow(START);
    expect([code, own.has('started'), stderr]).toEqual([2, false, expect.stringContaining('SHADOW_REFUSED')]);
    own.dispose();
  });
});

describe('shadow on a command line', () => {
  it('ends both runs when it is interrupted', async () => {
    const stop = new AbortController();
    const args = [SHADOWED, ...SHADOW_SHARD, ...SHADOW_IMAGES];
    const running = world.shadow('echo $$ > "$DIR/$IMAGE_TAG"; exec sleep 3600', args, { signal: stop.signal });
    const pid = (name: string): number => (world.has(name) ? Number(world.text(name)) : 0);
    await until(() => pid('old') > 0 && pid('new') > 0, { what: 'both run' });
    stop.abort();
    expect((await running).code).toBe(130);
    for (const name of ['old', 'new']) expect(() => process.kill(pid(name), 0)).toThrow('ESRCH');
  });

  it.each([
    { given: 'no candidate', args: [SHADOWED], code: 64, says: '--candidate' },
    { given: 'no integration', args: ['--candidate', 'x:1'], code: 64, says: 'integration' },
    {
      given: 'an image that is none',
      args: [SHADOWED, ...SHADOW_SHARD, '--baseline', 'a/b:1', '--candidate', '--privileged'],
      code: 64,
      says: '--candidate',
    },
    {
      given: 'a tag of no repository',
      args: [SHADOWED, ...SHADOW_SHARD, '--baseline', 'a/b:1', '--candidate', 'x:$(id)'],
      code: 64,
      says: 'is not a valid image',
    },
    { given: 'another format', args: [SHADOWED, ...SHADOW_IMAGES, '-o', 'name'], code: 64, says: 'junit' },
    {
      given: 'a mistyped integration',
      args: ['openshift-namespace', ...SHADOW_IMAGES],
      code: 2,
      says: 'did you mean openshift-namespaces',
    },
    {
      given: 'a mistyped shard',
      args: [SHADOWED, ...SHADOW_IMAGES, '--shard', 'bet'],
      code: 2,
      says: 'did you mean beta',
    },
    {
      given: 'an environment without shards',
      args: [SHADOWED, ...SHADOW_IMAGES, '--environment-name', 'nowhere'],
      code: 2,
      says: 'no shard of openshift-namespaces',
    },
  ])('with $given exits $code', async ({ args, code, says }) => {
    const ran = await world.shadow('touch "$DIR/started"', args);
    expect([ran.code, ran.stderr, world.has('started')]).toEqual([code, expect.stringContaining(says), false]);
  });

  it('removes secrets from every output, kept logs included', async () => {
    const leak = `say "using $MY_TOKEN"; say "[$IMAGE_TAG] $(printf %s "$MY_TOKEN" | base64)"
      say "Authorization: Bearer abcdef1234567890"; say "clone https://me:hunter2hunter2@example.com/x"
      echo "[WARNING] ghp_0123456789abcdefghij0123 $IMAGE_TAG"; echo "[ERROR] password=swordfish-$IMAGE_TAG"`;
    const secrets = [
      'correct-horse-battery',
      'Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5',
      'abcdef1234567890',
      'hunter2hunter2',
      'ghp_0123456789',
      'swordfish',
    ];
    for (const format of ['table', 'wide', 'json', 'yaml', 'markdown', 'junit']) {
      const args = [SHADOWED, ...SHADOW_SHARD, ...SHADOW_IMAGES, '--env', 'MY_TOKEN', '-o', format];
      const { stdout, stderr } = await world.shadow(leak, args, { env: { MY_TOKEN: 'correct-horse-battery' } });
      const texts = [stdout, stderr, ...Object.values(world.logs())].join('\n');
      expect(texts).toContain('***');
      for (const secret of secrets)
        expect({ format, texts }).not.toEqual({ format, texts: expect.stringContaining(secret) });
    }
  });

  it('writes JUnit in which a difference fails, and Markdown that logs cannot break', async () => {
    const hostile = `[ $IMAGE_TAG = old ] || say '</details><script>|\`\`\` @all'`;
    const junit = await world.shadow(hostile, [SHADOWED, ...SHADOW_SHARD, ...SHADOW_IMAGES, '-o', 'junit']);
    expect(junit.stdout).toContain('<testsuite name="shadow of openshift-namespaces" tests="1" failures="1"');
    expect(junit.stdout).not.toContain('<script>');
    const { stdout } = await world.shadow(hostile, [SHADOWED, ...SHADOW_SHARD, ...SHADOW_IMAGES, '-o', 'markdown']);
    expect(stdout.split('```')).toHaveLength(3);
    expect(stdout.match(/<\/details>/g)).toHaveLength(2);
  });
});
