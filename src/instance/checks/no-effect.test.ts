import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, integration, leanNamespace, managedIn } from '../../../test/support/hand-made-snapshot.ts';
import { readInstance } from '../domain/read-instance.ts';
import { settingsWithoutEffect } from './no-effect.ts';

function found(spec: object): string[] {
  const file = integration('i', { managed: [managedIn('/ns.yml', { spec: { resources: {}, ...spec } })] });
  const instance = readInstance(handMadeSnapshot({ '/ns.yml': leanNamespace('ns'), '/i.yml': file }));
  return settingsWithoutEffect(instance).map(({ severity, keys }) => `${severity} ${keys.join('.')}`);
}

describe('a setting without effect is told', () => {
  it.each([
    { spec: { cron: '* * * * *', cache: true }, field: 'cache' },
    { spec: { cron: '* * * * *', sleepDurationSecs: '60' }, field: 'sleepDurationSecs' },
    { spec: { cron: '* * * * *', logs: { slack: true } }, field: 'logs' },
    { spec: { concurrencyPolicy: 'Forbid' }, field: 'concurrencyPolicy' },
    { spec: { successfulJobHistoryLimit: 0 }, field: 'successfulJobHistoryLimit' },
    { spec: { dashdotdb: true }, field: 'dashdotdb' },
    { spec: { storage: '2Gi' }, field: 'storage' },
    { spec: { cache: false, storageClassName: 'gp2' }, field: 'storageClassName' },
  ])('$field in $spec', ({ spec, field }) => {
    expect(found(spec)).toEqual([`warning managed.0.spec.${field}`]);
  });
});

describe('an entry', () => {
  const told = (entry: Readonly<Record<string, unknown>>) => {
    const files = {
      '/ns.yml': leanNamespace('ns'),
      '/i.yml': integration('i', { managed: [managedIn('/ns.yml', entry)] }),
    };
    return settingsWithoutEffect(readInstance(handMadeSnapshot(files))).map(({ keys }) => keys.join('.'));
  };

  it('with a number of shards under a strategy that derives it is told', () => {
    expect(told({ sharding: { strategy: 'per-aws-account', shards: 3 } })).toEqual(['managed.0.sharding.shards']);
    expect(told({ sharding: { strategy: 'static', shards: 3 } })).toEqual([]);
  });
});

describe('a setting with effect, or that switches something off, is not', () => {
  it.each([
    { cron: '* * * * *', concurrencyPolicy: 'Forbid', dashdotdb: true, enablePushgateway: true },
    { cron: '* * * * *', cache: false, trigger: false },
    { cache: true, storage: '2Gi', storageClassName: 'gp2' },
    { sleepDurationSecs: '60', logs: { slack: true }, trigger: true, dashdotdb: false },
  ])('%j', (spec) => {
    expect(found(spec)).toEqual([]);
  });
});
