import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  account,
  cluster,
  handMadeSnapshot,
  integration,
  leanNamespace,
  managedIn,
  ref,
  zone,
} from '../../../test/support/hand-made-snapshot.ts';
import { EXAMPLE_INSTANCE } from '../../../test/support/shared.ts';
import { readInstance } from './read-instance.ts';

/** The example instance, and files with mistakes beside it. */
const FILES: readonly (readonly [string, string | Readonly<Record<string, unknown>>])[] = [
  ...readdirSync(join(EXAMPLE_INSTANCE, 'data'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ya?ml$/.test(path))
    .map((path) => [`/${path}`, readFileSync(join(EXAMPLE_INSTANCE, 'data', path), 'utf8')] as const),
  ['/wrong/cluster.yml', cluster('wrong', { ocm: ref('/nowhere.yml') })],
  ['/wrong/account.yml', account('wrong', { uid: 5 })],
  [
    '/wrong/integration.yml',
    integration('wrong', { managed: [managedIn('/wrong/cluster.yml'), managedIn('/lab.yml')] }),
  ],
  ['/lab.yml', leanNamespace('lab')],
  ['/zone.yml', zone('z')],
];

function read(files: typeof FILES) {
  const { snapshot: _, findings, ...domain } = readInstance(handMadeSnapshot(Object.fromEntries(files)));
  return { domain, findings: findings.map((finding) => JSON.stringify(finding)).sort() };
}

describe('what is read of an instance', () => {
  it('does not depend on the order of its datafiles', () => {
    const expected = read(FILES);
    const order = fc.shuffledSubarray([...FILES], { minLength: FILES.length });
    fc.assert(
      fc.property(order, (files) => {
        expect(read(files)).toEqual(expected);
      }),
      { numRuns: 10, seed: 7 },
    );
  });

  it('is ordered by name', () => {
    const { domain } = read(FILES);
    const kinds = [domain.integrations, domain.environments, domain.namespaces, domain.clusters, domain.accounts];
    for (const kind of [...kinds, domain.organizations, domain.ocmEnvironments, domain.saasFiles]) {
      const names = kind.map(({ name }) => name);
      expect(names).toEqual(names.toSorted());
    }
  });

  it('keeps what is right when something is wrong', () => {
    const { domain, findings } = read(FILES);
    const wrong = domain.integrations.find(({ name }) => name === 'wrong');
    expect(wrong?.managed.map(({ namespace }) => namespace.name)).toEqual(['lab']);
    expect(domain.clusters.map(({ name }) => name)).toContain('wrong');
    expect(domain.accounts.map(({ name }) => name)).not.toContain('wrong');
    expect(findings).toHaveLength(3);
  });

  it('of nothing is nothing', () => {
    const { domain, findings } = read([]);
    expect(Object.values(domain).flat()).toEqual([]);
    expect(findings).toEqual([]);
  });

  it('files of schemas that Echelon does not read are let be', () => {
    expect(read([['/a.yml', { $schema: '/own-1.yml', name: 5 }]])).toEqual(read([]));
  });
});
