import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE } from '../support/shared.ts';

const get = (...args: readonly string[]) => runCli(['get', 'shards', ...args, '--data', EXAMPLE_INSTANCE]);

const text = (block: string): string => block.replace(/^\n/, '');

describe('get shards as a table', () => {
  it.each([
    {
      args: ['-i', 'dashdotdb-slo', '-i', 'slack-usergroups'],
      table: `
INTEGRATION        ENVIRONMENT                SHARD   IMAGE     FROM      MEMORY         CPU          STATE   OBJECT
dashdotdb-slo      app-interface-stage        0       default   default   200Mi..400Mi   50m..        runs    qontract-reconcile-dashdotdb-slo
dashdotdb-slo      app-interface-production   0       default   default   300Mi..600Mi   100m..300m   runs    qontract-reconcile-dashdotdb-slo
slack-usergroups   app-interface-stage        0       default   default   200Mi..400Mi   50m..        runs    qontract-reconcile-slack-usergroups
slack-usergroups   app-interface-production   0       0473914   spec      250Mi..500Mi   50m..200m    runs    qontract-reconcile-slack-usergroups
`,
    },
    {
      args: ['-i', 'terraform-vpc-peerings'],
      table: `
INTEGRATION              ENVIRONMENT                SHARD              IMAGE     FROM       MEMORY         CPU          STATE      OBJECT
terraform-vpc-peerings   app-interface-production   app-sre            d90b2ac   spec       300Mi..600Mi   100m..300m   runs       qontract-reconcile-terraform-vpc-peerings-app-sre
terraform-vpc-peerings   app-interface-production   app-sre-stage      d90b2ac   spec       300Mi..600Mi   100m..300m   runs       qontract-reconcile-terraform-vpc-peerings-app-sre-stage
terraform-vpc-peerings   app-interface-production   payments           d90b2ac   spec       300Mi..600Mi   100m..300m   runs       qontract-reconcile-terraform-vpc-peerings-payments
terraform-vpc-peerings   app-interface-production   payments-archive   d90b2ac   spec       300Mi..600Mi   100m..300m   runs       qontract-reconcile-terraform-vpc-peerings-payments-archive
terraform-vpc-peerings   app-interface-production   payments-ci        d90b2ac   spec       300Mi..600Mi   100m..300m   disabled   qontract-reconcile-terraform-vpc-peerings-payments-ci
terraform-vpc-peerings   app-interface-production   payments-stage     8c41f7e   override   300Mi..600Mi   100m..300m   runs       qontract-reconcile-terraform-vpc-peerings-payments-stage
`,
    },
    {
      args: ['-e', 'edge-lab'],
      table: `
INTEGRATION            ENVIRONMENT   SHARD   IMAGE     FROM      MEMORY         CPU          STATE   OBJECT
fleet-label-exporter   edge-lab      0       default   default   64Mi..128Mi    20m..        runs    qontract-reconcile-fleet-label-exporter
integrations-manager   edge-lab      0       default   default   300Mi..600Mi   100m..500m   runs    qontract-reconcile-integrations-manager
`,
    },
    {
      args: ['-i', 'openshift-vault-secrets', '-e', 'app-interface-production', '-o', 'wide'],
      table: `
INTEGRATION               ENVIRONMENT                SHARD              IMAGE     FROM       MEMORY         CPU          STATE   OBJECT                                                        KIND         CLUSTER/NAMESPACE                        PART     ARGUMENTS                         FILE
openshift-vault-secrets   app-interface-production   app-sre            default   default    300Mi..600Mi   100m..500m   runs    qontract-reconcile-openshift-vault-secrets-app-sre            Deployment   app-sre-prod-02/app-interface-internal   all      --cluster-name app-sre            data/integrations/openshift-vault-secrets.yml
openshift-vault-secrets   app-interface-production   app-sre-ci-0       0473914   override   300Mi..600Mi   100m..500m   runs    qontract-reconcile-openshift-vault-secrets-app-sre-ci-0       Deployment   app-sre-prod-02/app-interface-internal   1 of 2   --cluster-name app-sre-ci         data/integrations/openshift-vault-secrets.yml
openshift-vault-secrets   app-interface-production   app-sre-ci-1       0473914   override   300Mi..600Mi   100m..500m   runs    qontract-reconcile-openshift-vault-secrets-app-sre-ci-1       Deployment   app-sre-prod-02/app-interface-internal   2 of 2   --cluster-name app-sre-ci         data/integrations/openshift-vault-secrets.yml
openshift-vault-secrets   app-interface-production   app-sre-prod-01    default   default    300Mi..600Mi   100m..500m   runs    qontract-reconcile-openshift-vault-secrets-app-sre-prod-01    Deployment   app-sre-prod-02/app-interface-internal   all      --cluster-name app-sre-prod-01    data/integrations/openshift-vault-secrets.yml
openshift-vault-secrets   app-interface-production   app-sre-prod-02    default   default    300Mi..600Mi   100m..500m   runs    qontract-reconcile-openshift-vault-secrets-app-sre-prod-02    Deployment   app-sre-prod-02/app-interface-internal   all      --cluster-name app-sre-prod-02    data/integrations/openshift-vault-secrets.yml
openshift-vault-secrets   app-interface-production   app-sre-stage-01   default   default    300Mi..600Mi   100m..500m   runs    qontract-reconcile-openshift-vault-secrets-app-sre-stage-01   Deployment   app-sre-prod-02/app-interface-internal   all      --cluster-name app-sre-stage-01   data/integrations/openshift-vault-secrets.yml
openshift-vault-secrets   app-interface-production   pay-prod-ue1       default   default    300Mi..600Mi   100m..500m   runs    qontract-reconcile-openshift-vault-secrets-pay-prod-ue1       Deployment   app-sre-prod-02/app-interface-internal   all      --cluster-name pay-prod-ue1       data/integrations/openshift-vault-secrets.yml
openshift-vault-secrets   app-interface-production   pay-stage-ue1      default   default    300Mi..600Mi   100m..500m   runs    qontract-reconcile-openshift-vault-secrets-pay-stage-ue1      Deployment   app-sre-prod-02/app-interface-internal   all      --cluster-name pay-stage-ue1      data/integrations/openshift-vault-secrets.yml
`,
    },
    {
      args: ['qontract-reconcile-quay-mirror', '-e', 'app-interface-production', '-o', 'wide'],
      table: `
INTEGRATION   ENVIRONMENT                SHARD   IMAGE     FROM      MEMORY          CPU       STATE   OBJECT                           KIND          CLUSTER/NAMESPACE                          PART   ARGUMENTS                                FILE
quay-mirror   app-interface-production   0       default   default   600Mi..1200Mi   400m..2   runs    qontract-reconcile-quay-mirror   StatefulSet   app-sre-prod-01/app-interface-production   all    --control-file-dir /.cache/quay-mirror   data/integrations/quay-mirror.yaml
`,
    },
  ])('get shards $args', async ({ args, table }) => {
    expect(await get(...args)).toEqual({ code: 0, stdout: text(table), stderr: '' });
  });
});

describe('get shards for programs', () => {
  it('tells everything about a shard with an override', async () => {
    const { stdout } = await get('-i', 'terraform-resources', '-e', 'app-interface-production', '-o', 'json');
    const { apiVersion, kind, items } = JSON.parse(stdout);
    expect({ apiVersion, kind }).toEqual({ apiVersion: 'echelon/v1', kind: 'ShardList' });
    expect(items.find(({ shard }: { shard: string }) => shard === 'payments')).toEqual({
      integration: 'terraform-resources',
      environment: 'app-interface-production',
      cluster: 'app-sre-prod-01',
      namespace: 'app-interface-production',
      shard: 'payments',
      key: 'payments',
      image: '0473914',
      imageFrom: 'override',
      resources: { requests: { cpu: '500m', memory: '2Gi' }, limits: { cpu: '2', memory: '4Gi' } },
      resourcesFrom: 'override',
      disabled: false,
      extraArgs: '--thread-pool-size 10 --enable-deletion --account-name payments',
      kind: 'Deployment',
      object: 'qontract-reconcile-terraform-resources-payments',
      file: '/integrations/terraform-resources.yml',
    });
  });

  it.each([
    {
      args: ['-i', 'openshift-groups', '-e', 'app-interface-production', '-o', 'name'],
      stdout: 'shard/qontract-reconcile-openshift-groups-0\nshard/qontract-reconcile-openshift-groups-1\n',
    },
    { args: ['-i', 'saas-file-validator', '-o', 'name'], stdout: '' },
    { args: ['-i', 'dashdotdb-slo', '-o', 'name'], stdout: 'shard/qontract-reconcile-dashdotdb-slo\n' },
  ])('get shards $args', async ({ args, stdout }) => {
    expect(await get(...args)).toEqual({ code: 0, stdout, stderr: '' });
  });
});

describe('get shards of what does not exist', () => {
  it.each([
    { args: ['nowhere'], error: 'no shard nowhere in this instance' },
    { args: ['-i', 'quay-miror'], error: 'no integration quay-miror in this instance' },
    { args: ['-e', 'edge-lap'], error: 'no environment edge-lap in this instance' },
  ])('get shards $args', async ({ args, error }) => {
    const { code, stdout, stderr } = await get(...args);
    expect({ code, stdout, said: stderr.split('\n')[0] }).toEqual({ code: 1, stdout: '', said: `error: ${error}` });
  });

  it('says that an integration has no shards', async () => {
    expect(await get('-i', 'saas-file-validator')).toEqual({ code: 0, stdout: '', stderr: 'no shards found\n' });
  });
});

describe('get shards of an edited instance', () => {
  let copy: InstanceCopy;
  beforeEach(() => {
    copy = copyInstance();
  });
  afterEach(() => copy.dispose());

  const names = async (...args: string[]) => {
    const { stdout } = await runCli(['get', 'shards', ...args, '-o', 'name', '--data', copy.root]);
    return stdout.split('\n').filter((line) => line !== '');
  };

  it('has one more for one more account', async () => {
    const args = ['-i', 'terraform-users', '-e', 'app-interface-stage'];
    const before = await names(...args);
    const account = copy
      .text('data/aws/payments-ci/account.yml')
      .replace('name: payments-ci\n', 'name: payments-new\n');
    copy.write('data/aws/payments-new/account.yml', account.replaceAll('520000000002', '520000000009'));
    const added = (await names(...args)).filter((name) => !before.includes(name));
    expect(added).toEqual(['shard/qontract-reconcile-terraform-users-payments-new']);
  });

  it.each([
    { given: 'no file', by: '/aws/payments/nowhere.yml' },
    { given: 'a file of another kind', by: '/openshift/app-sre/cluster.yml' },
  ])('leaves out, and says so, an entry whose override names $given', async ({ by }) => {
    copy.replace('data/integrations/terraform-users.yml', '/aws/payments-archive/account.yml', by);
    const line = ['get', 'shards', '-i', 'terraform-users', '-e', 'app-interface-production', '--data', copy.root];
    const counted = 'warning: 1 error in this instance; the affected parts are left out: run echelon validate\n';
    expect(await runCli(line)).toEqual({ code: 0, stdout: '', stderr: `${counted}no shards found\n` });
    expect(await names('-i', 'terraform-users', '-e', 'app-interface-stage')).toHaveLength(6);
  });
});
