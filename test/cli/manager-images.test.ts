import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { type ManagerRun, managerRun } from '../support/manager-run.ts';

const UPSTREAM = 'https://github.com/example/fleet-tools';
const PINNED = 'a4e1c58';
const NAMESPACE = 'data/services/fleet-tools/namespaces/edge-lab.yml';

let manager: ManagerRun;
let copy: InstanceCopy;
/** Short commits of the clone, by ref. */
let tags: Record<string, string>;
let forge: Server;
let asked: string[];

beforeAll(async () => {
  manager = await managerRun();
  copy = copyInstance();
  copy.replace(
    NAMESPACE,
    '    DRY_RUN: --dry-run\n',
    `    DRY_RUN: --dry-run\n    IMAGE_DIGEST: sha256:${'0'.repeat(64)}\n`,
  );
  copy.write('resources/echelon/manager.yml', `upstreams: [{ url: '${UPSTREAM}', image: ${REPOSITORY} }]\n`);
  tags = clone();
  forge = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('5'.repeat(40));
  });
  await new Promise<void>((resolve) => {
    forge.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(async () => {
  manager.dispose();
  copy.dispose();
  forge.closeAllConnections();
  await new Promise((resolve) => {
    forge.close(resolve);
  });
});

/** A repository with two branches and a tag. */
function clone(): Record<string, string> {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, ...args], { cwd: manager.path('clone'), encoding: 'utf8' });
  manager.write('clone/README', '');
  git('init', '--quiet', '--initial-branch', 'main');
  const commit = (message: string): string => {
    git('commit', '--quiet', '--allow-empty', '--message', message);
    return git('rev-parse', 'HEAD').slice(0, 7);
  };
  const v1 = commit('one');
  git('tag', 'v1');
  const main = commit('two');
  git('checkout', '--quiet', '-b', 'next');
  return { v1, main, next: commit('three') };
}

interface Ran {
  readonly code: number;
  readonly stderr: string;
  readonly image: string | undefined;
}

/** The image of the only integration of the upstream in its lab; the clone is used unless other arguments are given. */
async function rendered(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  asked = [];
  const line = ['render', '-o', 'json', '--data', copy.root, '--environment-name', 'edge-lab', '--upstream', UPSTREAM];
  const { code, stdout, stderr } = await manager.run([...line, ...args], { env, cwd: manager.root });
  const [item] = stdout === '' ? [] : JSON.parse(stdout).items;
  return { code, stderr, image: item?.objects[0].spec.template.spec.containers[0].image };
}

const CLONE = ['--upstream-clone', 'clone'];
const DIGEST = `sha256:${'1'.repeat(64)}`;
/** An upstream for which the environment has no ref. */
const OTHER = ['--upstream', 'https://github.com/app-sre/qontract-reconcile'];
const REPOSITORY = 'quay.io/app-sre/qontract-reconcile';

interface Row {
  readonly given: string;
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  readonly image: () => string;
}

const ROWS: readonly Row[] = [
  { given: "the ref of the environment's upstream repositories", args: [], image: () => `${REPOSITORY}:${PINNED}` },
  {
    given: 'a branch of a clone for this environment',
    args: ['-r', 'edge-lab=main', ...CLONE],
    image: () => `${REPOSITORY}:${tags['main']}`,
  },
  {
    given: 'a tag of a clone',
    args: ['--image-tag-from-ref', 'edge-lab=v1', ...CLONE],
    image: () => `${REPOSITORY}:${tags['v1']}`,
  },
  {
    given: 'refs for this environment and another',
    args: ['-r', 'app-interface-stage=main', '-r', 'edge-lab=next', ...CLONE],
    image: () => `${REPOSITORY}:${tags['next']}`,
  },
  {
    given: 'a ref for another environment',
    args: ['-r', 'app-interface-stage=next', ...CLONE],
    image: () => `${REPOSITORY}:${PINNED}`,
  },
  {
    given: 'a whole commit, which needs no clone',
    args: ['-r', `edge-lab=${'c'.repeat(40)}`],
    image: () => `${REPOSITORY}:ccccccc`,
  },
  {
    given: 'a variable with refs',
    args: CLONE,
    env: { INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF: 'app-interface-stage=main edge-lab=v1' },
    image: () => `${REPOSITORY}:${tags['v1']}`,
  },
  {
    given: 'a flag and a variable with a ref',
    args: ['-r', 'edge-lab=main', ...CLONE],
    env: { INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF: 'edge-lab=v1' },
    image: () => `${REPOSITORY}:${tags['main']}`,
  },
  {
    given: 'a parameter that is stronger than the ref',
    args: ['-r', 'edge-lab=main', '-p', 'IMAGE_TAG=mine', ...CLONE],
    image: () => `${REPOSITORY}:mine`,
  },
  {
    given: 'a ref that is stronger than the process',
    args: ['-r', 'edge-lab=main', ...CLONE],
    env: { IMAGE_TAG: 'weak', IMAGE_DIGEST: DIGEST },
    image: () => `${REPOSITORY}:${tags['main']}`,
  },
  {
    given: 'a digest that is stronger than the ref',
    args: ['-p', `IMAGE_DIGEST=${DIGEST}`],
    image: () => `${REPOSITORY}:${PINNED}@${DIGEST}`,
  },
  { given: 'a repository by flag', args: ['--image', 'example.com/x'], image: () => `example.com/x:${PINNED}` },
  {
    given: 'a repository by variable',
    args: [],
    env: { INTEGRATIONS_MANAGER_IMAGE: 'example.com/y' },
    image: () => `example.com/y:${PINNED}`,
  },
  {
    given: 'a repository by flag beside tag and digest of the process',
    args: ['--image', 'example.com/x', ...OTHER],
    env: { IMAGE_TAG: 'pinned', IMAGE_DIGEST: DIGEST },
    image: () => `example.com/x:pinned@${DIGEST}`,
  },
  {
    given: 'a repository by variable beside tag and digest of the process',
    args: OTHER,
    env: { INTEGRATIONS_MANAGER_IMAGE: 'example.com/y', IMAGE_TAG: 'pinned', IMAGE_DIGEST: DIGEST },
    image: () => `example.com/y:pinned@${DIGEST}`,
  },
  {
    given: 'a repository by parameter beside a digest of the environment',
    args: ['-p', 'IMAGE=example.com/z', ...OTHER],
    image: () => `example.com/z:latest@sha256:${'0'.repeat(64)}`,
  },
];

describe('the image', () => {
  it.each(ROWS)('with $given', async ({ args, env, image }) => {
    expect(await rendered(args, env)).toEqual({ code: 0, stderr: '', image: image() });
  });

  it('of an environment without a ref for the upstream keeps its digest', async () => {
    expect((await rendered(OTHER)).image).toBe(`${REPOSITORY}:latest@sha256:${'0'.repeat(64)}`);
  });

  it('of an environment whose tag comes from the process loses the digest of the environment', async () => {
    expect((await rendered(OTHER, { IMAGE_TAG: 'newer' })).image).toBe(`${REPOSITORY}:newer`);
  });

  it('is asked of the forge without a clone, once for a ref', async () => {
    const env = { GITHUB_API: `http://127.0.0.1:${(forge.address() as AddressInfo).port}` };
    const line = ['render', '-o', 'json', '--data', copy.root, '--upstream', UPSTREAM];
    asked = [];
    const refs = ['app-interface-stage=main', 'app-interface-production=main', 'edge-lab=main'];
    const { code, stdout } = await manager.run([...line, ...refs.flatMap((ref) => ['-r', ref])], { env });
    const images = new Set(stdout.match(/"image": ".*qontract-reconcile:\w+"/g));
    expect({ code, asked, images: [...images] }).toEqual({
      code: 0,
      asked: ['/repos/example/fleet-tools/commits/main'],
      images: [`"image": "${REPOSITORY}:5555555"`],
    });
  });
});

describe('a ref that cannot be used', () => {
  it.each(['env=', '=main', '=', 'env', 'env=main=test'])('%s is a wrong command line', async (ref) => {
    const { code, stderr, image } = await rendered(['-r', ref, ...CLONE]);
    expect({ code, image }).toEqual({ code: 64, image: undefined });
    expect(stderr).toMatch(
      /^error: --image-tag-from-ref \S+ .*\n code: FLAG_INVALID\n hint: pass --image-tag-from-ref /,
    );
    expect(stderr).toContain(` ${ref} `);
  });

  it.each([
    {
      given: 'a ref that the clone does not have',
      args: ['-r', 'edge-lab=nowhere', ...CLONE],
      says: 'clone is not a clone of the upstream, or has no ref nowhere',
    },
    {
      given: 'a folder that is no clone',
      args: ['-r', 'edge-lab=main', '--upstream-clone', 'nowhere'],
      says: 'nowhere is not a clone of the upstream, or has no ref main',
    },
  ])('$given concerns its namespace', async ({ args, says }) => {
    const { code, stderr, image } = await rendered(args);
    expect({ code, image }).toEqual({ code: 1, image: undefined });
    expect(stderr).toBe(
      `error: edge-lab-01/edge-lab, fleet-label-exporter (data/integrations/fleet-label-exporter.yaml): ${says} [REF_UNKNOWN]\n` +
        '    pass a clone with --upstream-clone, fetch it, or check the ref\n',
    );
  });

  it('a forge that is not there concerns the namespaces that need it', async () => {
    const line = ['render', '-o', 'json', '--data', copy.root, '--upstream', UPSTREAM];
    const { code, stdout, stderr } = await manager.run(line, { env: { GITHUB_API: 'http://127.0.0.1:9' } });
    const places = JSON.parse(stdout).items.map(({ namespace }: { namespace: string }) => namespace);
    expect({ code, places }).toEqual({ code: 1, places: ['app-interface-production', 'edge-lab'] });
    expect(stderr).toMatch(
      /^error: app-sre-stage-01\/app-interface-stage, fleet-label-exporter .*\[FORGE_UNREACHABLE\]/,
    );
  });
});

describe('helper images', () => {
  const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
  const images = (text: string): string[] =>
    [
      ...new Set(
        [...text.matchAll(/image: "?(\S*(?:fluentd|internal-redhat-ca)[^\s"]*)/g)].map(([, image]) => image ?? ''),
      ),
    ].sort();

  it('are pinned for the whole manager in one place', async () => {
    const pins = [`FLUENTD_IMAGE_DIGEST=${digest('a')}`, `INTERNAL_CERTIFICATES_IMAGE_DIGEST=${digest('b')}`];
    const render = ['render', '--data', copy.root, '-o', 'yaml'];
    const plain = await manager.run(render);
    const pinned = await manager.run([...render, ...pins.flatMap((pin) => ['--parameter', pin])]);
    expect(images(plain.stdout)).toEqual([
      'quay.io/app-sre/fluentd:latest',
      'quay.io/app-sre/internal-redhat-ca:latest',
    ]);
    expect(images(pinned.stdout)).toEqual([
      `quay.io/app-sre/fluentd:latest@${digest('a')}`,
      `quay.io/app-sre/internal-redhat-ca:latest@${digest('b')}`,
    ]);
  });
});
