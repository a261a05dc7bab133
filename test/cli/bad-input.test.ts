import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sha256Of } from '../../src/base/index.ts';
import { managerRun } from '../support/manager-run.ts';
import { promotionWorld } from '../support/promotion-world.ts';
import { type Ran, runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE, REPO } from '../support/shared.ts';
import { simFleet } from '../support/sim-fleet.ts';

const disposals: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const dispose of disposals.splice(0)) await dispose();
});

const error = ({ stderr }: Ran): { message: string; code: string } => ({
  message: /^error: (.*)$/m.exec(stderr)?.[1] ?? '',
  code: /^ code: (.*)$/m.exec(stderr)?.[1] ?? /\[([A-Z_]+)\]$/m.exec(stderr)?.[1] ?? stderr,
});

describe('a duplicate key', () => {
  const FILE = 'data/services/app-interface/cicd/tekton-provider-defaults.yml';

  it.each([
    {
      given: 'beside the version in a target',
      file: FILE,
      edit: (text: string) => `${text}\nname: again\n`,
      says: undefined,
    },
    {
      given: 'of the version in a target',
      file: FILE,
      edit: (text: string) => text.replace(/^( +)(qontract_reconcile_image_tag: .*\n)/m, '$1$2$1$2'),
      says: {
        message: expect.stringMatching(/tekton-provider-defaults\.yml:\d+: .* is defined 2 times: duplicate key/),
        code: 'EDIT_REFUSED',
      },
    },
    {
      given: 'in promotion.yml',
      file: 'promotion.yml',
      edit: (text: string) => `${text}\nlabels: []\nlabels: []\n`,
      says: {
        message: expect.stringMatching(/promotion\.yml:\d+:\d+ .*duplicated mapping key/),
        code: 'PROMOTION_FILE_INVALID',
      },
    },
  ])('$given is no bug of Echelon', async ({ file, edit, says }) => {
    const world = await promotionWorld();
    disposals.push(world.dispose);
    world.write(file, edit(world.text(file)));
    world.sandbox.commit('instance', 'a key twice');
    const ran = await world.promote('apply', '--yes');
    expect(says === undefined ? ran.code : error(ran)).toEqual(says ?? 0);
    if (says === undefined) expect(world.git('diff', '--name-only')).toContain(FILE);
  });
});

describe('validate of a folder', () => {
  it('reports a folder below it whose path is too long', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'echelon-deep-'));
    disposals.push(() => rmSync(folder, { recursive: true }));
    const deep = Array<string>(12).fill('d'.repeat(200)).join('/');
    const [upper, lower] = [join(folder, 'instance/data', deep), join(folder, 'lower')];
    mkdirSync(upper, { recursive: true });
    mkdirSync(join(lower, deep), { recursive: true });
    renameSync(lower, join(upper, 'lower'));
    const { stdout } = await runCli(['validate', '--data', join(folder, 'instance')]);
    renameSync(join(upper, 'lower'), lower);
    expect(stdout).toContain('cannot read the folder: ENAMETOOLONG');
  });

  it('reads the capabilities from a pipe', () => {
    const line = 'echo "my-integration: [SHARDS]" | "$0" validate --data "$1" --capabilities /dev/stdin';
    const { stderr, stdout } = spawnSync('sh', ['-c', line, join(REPO, 'bin/echelon'), EXAMPLE_INSTANCE], {
      encoding: 'utf8',
    });
    expect({ stderr, stdout }).toEqual({ stderr: '', stdout: expect.stringContaining(' datafiles of ') });
  });

  it.each([['validate'], ['get', 'clusters']])('accepts --no-cache without effect: %s', async (...command) => {
    const args = [...command, '--data', EXAMPLE_INSTANCE];
    expect(await runCli([...args, '--no-cache'])).toEqual(await runCli(args));
  });
});

describe('a bundle', () => {
  const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

  it.each([
    {
      given: 'a datafile',
      command: 'validate',
      part: '"data":{"/a.yml":{"$schema":"/x-1.yml","a":DEEP}}',
      says: 'nested deeper than 100',
    },
    {
      given: 'a datafile',
      command: 'get integrations',
      part: '"data":{"/a.yml":{"a":DEEP}}',
      says: '1 error in this instance',
    },
    {
      given: 'a datafile',
      command: 'manager values',
      part: '"data":{"/a.yml":{"a":DEEP}}',
      says: 'nested deeper than 100',
    },
    {
      given: 'a schema',
      command: 'validate',
      part: '"data":{},"schemas":{"/x-1.yml":DEEP}',
      says: 'the schema /x-1.yml is nested deeper than 100',
    },
    { given: 'a resource', command: 'validate', part: '"data":{},"resources":{"/x":DEEP}', says: '0 datafiles' },
  ])('with $given nested 20,000 deep is no bug of Echelon for $command', async ({ command, part, says }) => {
    const manager = await managerRun();
    disposals.push(manager.dispose);
    const file = manager.write('bundle.json', `{${part.replace('DEEP', DEEP)}}`);
    const { stdout, stderr } = await runCli([...command.split(' '), '--data', file]);
    expect(stdout + stderr).toContain(says);
    expect(stderr).not.toContain('INTERNAL');
  });
});

describe('a saved plan', () => {
  it.each(['seen', 'object', 'differences'])('without %s of an item is an error that names the item', async (field) => {
    const fleet = await simFleet();
    disposals.push(fleet.dispose);
    await fleet.run(['apply', '--yes']);
    fleet.write(
      'environments/lab.yml',
      readFileSync(fleet.manager.path('instance/data/environments/lab.yml'), 'utf8').replace('f929a38', 'a929a38'),
    );
    const file = fleet.manager.path('plan.json');
    await fleet.run(['plan', '--save', file]);
    const { sha256: _, ...plan } = JSON.parse(readFileSync(file, 'utf8'));
    delete plan.items[0][field];
    writeFileSync(file, JSON.stringify({ ...plan, sha256: sha256Of(JSON.stringify(plan)) }));
    const ran = await fleet.run(['apply', '--yes', file]);
    expect(error(ran)).toEqual({ message: expect.stringContaining(`items.0.${field}`), code: 'PLAN_INVALID' });
  });
});

describe('an unusable TMPDIR', () => {
  const TMPDIR = '/dev/null/nowhere';

  it('is an error that names it: promote mr', async () => {
    const world = await promotionWorld();
    disposals.push(world.dispose);
    vi.stubEnv('TMPDIR', TMPDIR);
    expect(error(await world.promote('mr', '--no-push'))).toEqual({
      message: expect.stringContaining(TMPDIR),
      code: 'TMPDIR_UNUSABLE',
    });
  });

  it('is an error that names it: manager render', async () => {
    const manager = await managerRun();
    disposals.push(manager.dispose);
    vi.stubEnv('TMPDIR', TMPDIR);
    expect(error(await manager.run(['render', '--data', EXAMPLE_INSTANCE]))).toEqual({
      message: expect.stringContaining(TMPDIR),
      code: 'TMPDIR_UNUSABLE',
    });
  });
});

describe('KUBECONFIG', () => {
  it.each([
    {
      given: 'does not exist',
      value: '/nowhere/kubeconfig',
      says: 'KUBECONFIG names /nowhere/kubeconfig, which does not exist',
    },
    { given: 'is a folder', value: '/', says: '/ is not a kubeconfig' },
  ])('that $given is an error that names it', async ({ value, says }) => {
    const manager = await managerRun();
    disposals.push(manager.dispose);
    const ran = await manager.run(['plan', '--data', EXAMPLE_INSTANCE], { env: { KUBECONFIG: value } });
    expect(ran.stderr).not.toContain('INTERNAL');
    expect(ran.stderr).toContain(says);
  });
});
