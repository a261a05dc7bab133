import { describe, expect, it } from 'vitest';
import { account, handMadeSnapshot, integration } from '../../test/support/hand-made-snapshot.ts';
import { readInstance } from '../instance/index.ts';
import { changedFiles, explainFiles, type FileChange, type Side } from './changed-files.ts';
import { selectIntegrations } from './select-integrations.ts';

type Content = Readonly<Record<string, unknown>>;
type Files = Readonly<Record<string, Content>>;

const SETTINGS = '/app-interface/app-interface-settings-1.yml';
const SELF = '/app-sre/integration-1.yml';
const reads = (name: string, schemas: readonly string[], prCheck: Content | null = {}): Content =>
  integration(name, {
    schemas: [SETTINGS, SELF, ...schemas],
    ...(prCheck === null ? {} : { pr_check: { cmd: name, ...prCheck } }),
  });

const BASE: Files = {
  '/i/accounts.yml': reads('accounts', ['/aws/account-1.yml']),
  '/i/always.yml': reads('always', [], { always_run: true }),
  '/i/namespaces.yml': reads('namespaces', ['/openshift/namespace-1.yml']),
  '/i/off.yml': reads('off', ['/aws/account-1.yml'], { disabled: true, always_run: true }),
  '/i/pinned.yml': reads('pinned', [], { imageRef: 'abc' }),
  '/i/silent.yml': reads('silent', ['/aws/account-1.yml'], null),
  '/a.yml': account('a'),
  '/ns.yml': { $schema: '/openshift/namespace-1.yml', name: 'ns', resources: [{ path: '/x/route.yml' }] },
  '/settings.yml': { $schema: SETTINGS, name: 's' },
};

interface SideParts {
  readonly files: Files;
  readonly texts?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly unreadable?: readonly string[];
}

function side({ files, texts = {}, env = {}, unreadable = [] }: SideParts): Side {
  const resources = Object.keys(texts).filter((file) => file.startsWith('resources/'));
  const snapshot = handMadeSnapshot(files, { resources: resources.map((file) => file.slice(9)), unreadable });
  return {
    instance: readInstance({ ...snapshot, env: new Map(Object.entries(env)) }),
    text: (file) => texts[file],
  };
}

interface Case {
  readonly changes: readonly FileChange[];
  readonly base?: Partial<SideParts>;
  readonly head?: Partial<SideParts>;
  readonly strict?: boolean;
}

function choices({ changes, base = {}, head = {}, strict = false }: Case) {
  const sides = { base: side({ files: BASE, ...base }), head: side({ files: BASE, ...head }) };
  return selectIntegrations(explainFiles(changedFiles(changes, ''), sides), sides, { strict });
}

const rules = (given: Case): Record<string, string[]> =>
  Object.fromEntries(
    choices(given)
      .filter(({ selected }) => selected)
      .map(({ integration: name, reasons }) => [name, reasons.map(({ rule }) => rule)]),
  );

const modified = (path: string): FileChange => ({ path, change: 'modified' });
const without = (path: string): Files => Object.fromEntries(Object.entries(BASE).filter(([file]) => file !== path));
const ALL = { accounts: ['schema'], namespaces: ['schema'], pinned: ['schema'] };

describe('a change selects', () => {
  it.each<{ given: string; selected: Record<string, string[]> } & Case>([
    { given: 'nothing', changes: [], selected: {} },
    { given: 'docs', changes: [modified('docs/a.md'), modified('README.md')], selected: {} },
    { given: 'an unknown file', changes: [modified('hack/x.sh')], selected: {} },
    { given: 'a datafile', changes: [modified('data/a.yml')], selected: { accounts: ['schema'] } },
    {
      given: 'a new datafile',
      changes: [{ path: 'data/b.yml', change: 'added' }],
      head: { files: { ...BASE, '/b.yml': account('b') } },
      selected: { accounts: ['schema'] },
    },
    {
      given: 'a deleted datafile',
      changes: [{ path: 'data/a.yml', change: 'deleted' }],
      head: { files: without('/a.yml') },
      selected: { accounts: ['schema'] },
    },
    {
      given: 'a moved datafile',
      changes: [{ path: 'data/b.yml', change: 'renamed', from: 'data/a.yml' }],
      head: { files: { ...without('/a.yml'), '/b.yml': account('a') } },
      selected: { accounts: ['schema'] },
    },
    {
      given: 'a datafile that gets another schema',
      changes: [modified('data/a.yml')],
      head: { files: { ...BASE, '/a.yml': { $schema: '/openshift/namespace-1.yml', name: 'a' } } },
      selected: { accounts: ['schema'], namespaces: ['schema'] },
    },
    {
      given: 'a datafile that cannot be read, by its text',
      changes: [{ path: 'data/b.yml', change: 'added' }],
      head: { files: BASE, unreadable: ['/b.yml'], texts: { 'data/b.yml': '---\n$schema: /aws/account-1.yml\n- :' } },
      selected: { accounts: ['schema'] },
    },
    {
      given: 'an integration file',
      changes: [modified('data/i/namespaces.yml')],
      selected: { namespaces: ['own-file'] },
    },
    {
      given: 'an integration file, strictly',
      changes: [modified('data/i/namespaces.yml')],
      strict: true,
      selected: { ...ALL, namespaces: ['own-file', 'schema'], always: ['schema'] },
    },
    {
      given: 'an integration file that cannot be read any more',
      changes: [modified('data/i/namespaces.yml')],
      head: { files: without('/i/namespaces.yml'), unreadable: ['/i/namespaces.yml'] },
      selected: { namespaces: ['own-file'] },
    },
    { given: 'the settings', changes: [modified('data/settings.yml')], selected: { ...ALL, always: ['schema'] } },
    {
      given: 'a resource that a datafile names',
      changes: [modified('resources/x/route.yml')],
      selected: { namespaces: ['resource'] },
    },
    {
      given: 'a resource that was named',
      changes: [{ path: 'resources/x/route.yml', change: 'deleted' }],
      head: { files: without('/ns.yml') },
      selected: { namespaces: ['resource'] },
    },
    {
      given: 'a resource that a used resource includes',
      changes: [modified('resources/x/part.j2')],
      head: {
        files: BASE,
        texts: { 'resources/x/route.yml': "{% include '/x/part.j2' %}", 'resources/x/part.j2': '' },
      },
      selected: { namespaces: ['resource'] },
    },
    {
      given: 'a resource whose name only begins another one',
      changes: [modified('resources/x/part')],
      head: { files: BASE, texts: { 'resources/x/route.yml': '/x/part.j2 /y/x/part', 'resources/x/part': '' } },
      selected: {},
    },
    {
      given: 'a resource with a schema of its own',
      changes: [modified('resources/own.yml')],
      head: { files: BASE, texts: { 'resources/own.yml': '$schema: /aws/account-1.yml\n' } },
      selected: { accounts: ['resource'] },
    },
    { given: 'a resource that nobody names', changes: [modified('resources/y.yml')], selected: {} },
    {
      given: 'the image of .env',
      changes: [modified('.env')],
      base: { files: BASE, env: { RECONCILE_IMAGE_TAG: 'a' } },
      head: { files: BASE, env: { RECONCILE_IMAGE_TAG: 'b' } },
      selected: { accounts: ['image'], namespaces: ['image'], always: ['image'] },
    },
    {
      given: 'the schemas of .env',
      changes: [modified('.env')],
      base: { files: BASE, env: { SCHEMAS_IMAGE_TAG: 'a' } },
      head: { files: BASE, env: { SCHEMAS_IMAGE_TAG: 'b' } },
      selected: {},
    },
    { given: 'a hidden file', changes: [modified('data/.a.yml')], selected: {} },
  ])('with $given: $selected', ({ selected, ...given }) => {
    const { always = [], ...others } = rules(given);
    expect({ ...others, always }).toEqual({ always: ['always-run', ...(selected['always'] ?? [])], ...drop(selected) });
  });
});

function drop({ always: _, ...others }: Record<string, string[]>): Record<string, string[]> {
  return others;
}

describe('what is not selected', () => {
  it('says why', () => {
    const head = { files: without('/i/accounts.yml') };
    const reasons = choices({ changes: [{ path: 'data/i/accounts.yml', change: 'deleted' }], head })
      .filter(({ selected }) => !selected)
      .map(({ integration: name, reasons: [reason] }) => `${name}: ${reason?.rule}`);
    expect(reasons).toEqual([
      'accounts: removed',
      'namespaces: not-affected',
      'off: disabled',
      'pinned: not-affected',
      'silent: no-pr-check',
    ]);
  });
});

describe('changed files', () => {
  it('of an instance in a folder are told from those beside it', () => {
    const files = changedFiles([modified('sub/data/a.yml'), modified('data/a.yml'), modified('sub/.env')], 'sub');
    expect(files).toEqual([
      { file: '../data/a.yml', change: 'modified', area: 'other' },
      { file: '.env', change: 'modified', area: 'env' },
      { file: 'data/a.yml', change: 'modified', area: 'data', path: '/a.yml' },
    ]);
  });
});
