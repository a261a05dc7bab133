import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE } from '../support/shared.ts';

interface Rendered {
  readonly cluster: string;
  readonly objects: readonly { readonly kind: string; readonly metadata: { name: string; namespace: string } }[];
}

const CHART = join(import.meta.dirname, 'charts/existing-fleet');
const PRODUCTION = 'app-sre-prod-01';

async function render(...args: readonly string[]): Promise<readonly Rendered[]> {
  const command = ['manager', 'render', '--data', EXAMPLE_INSTANCE, '--no-cache', '-o', 'json', ...args];
  const { code, stdout, stderr } = await runCli(command);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout).items;
}

const names = (rendered: readonly Rendered[], kinds: readonly string[]): string[] =>
  rendered.flatMap(({ cluster, objects }) =>
    objects
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ kind, metadata }) => `${cluster} ${kind} ${metadata.name}`),
  );

describe('a chart with the habits of existing fleets', () => {
  let theirs: readonly Rendered[] = [];
  let text = '';

  beforeAll(async () => {
    theirs = await render('--chart', CHART);
    text = JSON.stringify(theirs);
  });

  it('gives objects of the same names as the chart of Echelon', async () => {
    const kinds = ['Deployment', 'StatefulSet', 'CronJob', 'Service'];
    expect(names(theirs, kinds)).toEqual(names(await render(), kinds));
  });

  it('has no image that ends in @, and no parameter left', () => {
    expect(text).not.toMatch(/"image":"[^"]*@"/);
    expect(text).not.toMatch(/\$\{(?:IMAGE|BUSYBOX_IMAGE|BUSYBOX_IMAGE_TAG)\}/);
    expect(text).toContain('busybox:1.37');
  });

  it('keeps what is meant for a shell', () => {
    expect(text).toContain('echo ${SLACK_WEBHOOK_URL} for ');
  });

  it('takes the value of an environment for a parameter that is declared more than once', () => {
    const production = JSON.stringify(theirs.find(({ cluster }) => cluster === PRODUCTION));
    expect(production).not.toContain('default-of-');
  });

  it('takes numbers for parameters, and `${{}}` for a number', () => {
    const service = theirs[0]?.objects.find(({ kind }) => kind === 'Service');
    expect(service).toMatchObject({ spec: { ports: [{ port: 80 }] } });
  });

  it('is placed where it is rendered for, not where it says', () => {
    expect(text).not.toContain('written-down');
  });

  it('honours pins and shards that are switched off', () => {
    const production = theirs.find(({ cluster }) => cluster === PRODUCTION)?.objects ?? [];
    const named = (name: string) => production.find(({ metadata }) => metadata.name === `qontract-reconcile-${name}`);
    expect(JSON.stringify(named('terraform-resources-app-sre'))).toContain('qontract-reconcile:0473914"');
    expect(named('openshift-resources-app-sre-prod-02')).toMatchObject({ spec: { replicas: 0 } });
  });
});
