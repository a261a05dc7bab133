import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageStart } from '../support/image-start.ts';
import { type ManagerRun, managerRun } from '../support/manager-run.ts';
import { REPO } from '../support/shared.ts';

const deploy = (file: string): string => readFileSync(join(REPO, 'deploy', file), 'utf8');

let manager: ManagerRun;
beforeAll(async () => {
  manager = await managerRun();
});
afterAll(() => manager.dispose());

describe('deploy/', () => {
  it('has the manifests that bootstrap prints', async () => {
    const image = ['--image', 'example/echelon', '--image-tag', '0.1.0'];
    const { stdout } = await manager.run(['bootstrap', '--format', 'manifests', '-n', 'reconcilers', ...image]);
    expect(deploy('manager.yaml')).toBe(stdout);
  });

  it('runs the manager with the account that has its rights, ready only when it can lead', () => {
    const objects = loadAll(deploy('manager.yaml')) as Record<string, never>[];
    const bindings = objects.filter(({ kind }) => kind === 'RoleBinding') as unknown as {
      metadata: { name: string };
      subjects: { name: string }[];
    }[];
    const binding = bindings.find(({ metadata }) => metadata.name === 'integrations-manager');
    const { spec } = (objects.at(-1) as unknown as { spec: { template: { spec: Record<string, never> } } }).spec
      .template;
    expect(spec['serviceAccountName']).toBe(binding?.subjects[0]?.name);
    const [container] = spec['containers'] as unknown as Record<string, { httpGet: { path: string } }>[];
    expect([container?.['livenessProbe']?.httpGet.path, container?.['readinessProbe']?.httpGet.path]).toEqual([
      '/healthz',
      '/readyz',
    ]);
  });

  it('has a network policy for the pods of the manager and their port', () => {
    const policy = load(deploy('network-policy.yaml')) as {
      spec: { podSelector: { matchLabels: Record<string, string> }; ingress: { ports: { port: number }[] }[] };
    };
    const deployment = loadAll(deploy('manager.yaml')).at(-1) as {
      spec: {
        template: {
          metadata: { labels: Record<string, string> };
          spec: { containers: { ports: { containerPort: number }[] }[] };
        };
      };
    };
    const { metadata, spec } = deployment.spec.template;
    expect(metadata.labels).toMatchObject(policy.spec.podSelector.matchLabels);
    const ports = spec.containers.flatMap((container) => container.ports.map(({ containerPort }) => containerPort));
    expect(policy.spec.ingress.flatMap(({ ports: allowed }) => allowed.map(({ port }) => port))).toEqual(ports);
  });

  it('has an image that only copies, onto one base, for a user who is nobody', () => {
    const lines = deploy('Containerfile').split('\n');
    const values = (word: string): string[] =>
      lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
    expect(values('FROM')).toEqual(['${BASE_IMAGE}']);
    expect(values('RUN')).toEqual([]);
    expect(values('USER')).toEqual(['65532:65532']);
    expect(values('ARG').filter((value) => value.includes('='))).toHaveLength(1);
  });

  it('has an image that starts the same program as the package, with as little memory', () => {
    const installed = readFileSync(join(REPO, 'bin/echelon'), 'utf8');
    const { program, flags, env } = imageStart(REPO);
    expect(installed).toContain(`"$home/${program}"`);
    expect(flags).toContain(/^memory=(.*)$/m.exec(installed)?.[1]);
    expect(env).toHaveProperty('MALLOC_ARENA_MAX');
  });
});
