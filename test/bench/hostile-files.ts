import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MAX_DATAFILE_BYTES } from '../../src/instance/parse-datafile.ts';

const INTEGRATION = '$schema: /app-sre/integration-1.yml\nname: mine\ndescription: hostile\n';
const SAAS = '$schema: /app-sre/saas-file-2.yml\nname: mine\n';
const ENTRY = '- namespace: { $ref: /namespace.yml }\n  spec: { resources: {} }\n';

const times = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

/** Ends before the line that would make the text larger than a datafile may be. */
function filled(head: string, line: (index: number) => string): string {
  const lines = [head];
  let length = head.length;
  for (let at = 0; ; at += 1) {
    const next = line(at);
    length += next.length;
    if (length > MAX_DATAFILE_BYTES) return lines.join('');
    lines.push(next);
  }
}

/** Instances that are cheap to write and were expensive to read; each of its files is as large as a datafile may be, or less. */
const HOSTILE: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  'entries with wrong types': () => ({
    'a.yml': `${INTEGRATION}schemas: []\nmanaged:\n${times(3_000, () => '- namespace: 1\n  spec: { command: 010, resources: 1 }\n')}`,
  }),
  'wrong types below closed brackets': () => ({
    'a.yml': `${INTEGRATION}schemas: []\nmanaged:\n${times(200, () => '- spec: {\n  command: 010\n  }\n')}${times(2_000, () => '- namespace: 1\n  spec: { command: 010, resources: 1 }\n')}`,
  }),
  'a list of numbers where texts belong': () => ({
    'a.yml': `${INTEGRATION}schemas: [${'1,'.repeat(195_000)}]\n`,
  }),
  'unknown fields': () => ({
    'a.yml': `${INTEGRATION}schemas: []\nmanaged: []\n${times(19_900, (at) => `f${at}: 1\n`)}`,
  }),
  'empty templates': () => ({ 'a.yml': `${SAAS}resourceTemplates: [${'{},'.repeat(95_000)}]\n` }),
  'empty targets': () => ({
    'a.yml': `${SAAS}resourceTemplates:\n- name: a\n  url: b\n  path: c\n  targets: [${'{},'.repeat(95_000)}]\n`,
  }),
  'dangling references': () => ({
    'a.yml': `${INTEGRATION}schemas: []\nmanaged:\n${times(7_000, (at) => `- namespace: { $ref: /namespaces/${at}.yml }\n`)}`,
  }),
  'a reference that thousands of files have and none resolves': () =>
    Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [
        `n/${at}.yml`,
        `$schema: /openshift/namespace-1.yml\nname: n${at}\ncluster: { $ref: /c/${at}.yml }\nenvironment: { $ref: /e.yml }\n`,
      ]),
    ),
  'overrides of shards that do not exist': () => ({
    'a.yml': `${INTEGRATION}schemas: []\nmanaged:\n${ENTRY}  sharding:\n    strategy: static\n    shards: 1000\n    shardSpecOverrides:\n${times(8_000, (at) => `    - shard: none-${at}\n`)}`,
  }),
  'the largest file of ordinary overrides': () => ({
    'a.yml': filled(
      `${INTEGRATION}schemas: []\nmanaged:\n${ENTRY}  sharding:\n    strategy: per-aws-account\n    shardSpecOverrides:\n`,
      (at) =>
        `    - shard:\n        $ref: /aws/account-${at}.yml\n      imageRef: a${1_000_000 + at}\n      resources:\n        requests:\n          cpu: 100m\n          memory: 500Mi\n        limits:\n          memory: 1Gi\n`,
    ),
    ...Object.fromEntries(
      Array.from({ length: 6_000 }, (_, at) => [
        `aws/account-${at}.yml`,
        `$schema: /aws/account-1.yml\nname: account-${at}\nuid: '${at}'\nresourcesDefaultRegion: us-east-1\n`,
      ]),
    ),
  }),
  'the largest file of short overrides': () => ({
    'a.yml': filled(
      `${INTEGRATION}schemas: []\nmanaged:\n${ENTRY}  sharding:\n    strategy: static\n    shards: 1000\n    shardSpecOverrides:\n`,
      (at) => `    - { shard: ${at} }\n`,
    ),
  }),
  'the largest file of bad entries': () => ({
    'a.yml': filled(`${INTEGRATION}schemas: []\nmanaged:\n`, () => '- namespace: 1\n  spec: { command: 010 }\n'),
  }),
  'the largest list of names': () => ({
    'a.yml': filled('$schema: /app-sre/list-1.yml\nclusters:\n', (at) => `- name: cluster-${at}\n`),
  }),
  'one namespace thousands of times': () => ({
    'a.yml': `${INTEGRATION}schemas: []\nmanaged:\n${times(3_000, () => ENTRY)}`,
  }),
  'the same keys again': () => ({ 'a.yml': `${INTEGRATION}${times(22_000, () => 'a: 1\n')}` }),
  'the largest mapping': () => ({ 'a.yml': filled(INTEGRATION, (at) => `f${at}: 1\n`) }),
  'lines at the key of a flow collection, and a quote that is never closed': () => ({
    'a.yml': filled(`${INTEGRATION}schemas: []\nmanaged:\n`, () => '- spec: {\n  command: 010\n  }\n'),
    'b.yml': filled("a: '\n", (at) => `f${at}: 1\n`),
  }),
  'nothing but punctuation': () => ({
    'a.yml': `a: [${'1,'.repeat(520_000)}]\n`,
    'b.yml': `${'- '.repeat(90)}x\n`.repeat(5_000),
  }),
  'long texts': () => ({
    'a.yml': `${INTEGRATION}schemas: []\nmanaged:\n- &x\n  namespace: ${'x'.repeat(500_000)}\n  spec: { resources: { limits: { cpu: ${'1'.repeat(160_000)}x } } }\n${times(2_000, () => '- *x\n')}`,
  }),
};

export const HOSTILE_NAMES: readonly string[] = Object.keys(HOSTILE);

export function writeHostile(name: string, folder: string): void {
  const files = { ...HOSTILE[name]?.(), 'namespace.yml': NAMESPACE };
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, 'data', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

const NAMESPACE = `$schema: /openshift/lean-namespace-1.yml
name: bench
cluster: { name: bench, serverUrl: 'https://bench.example.com', automationToken: { path: a/b, field: c } }
environment: { name: bench }
`;
