import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealPrometheus, type Series, startRealPrometheus } from '../support/real-prometheus.ts';
import { plan } from '../support/upgrade-commands.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { configText, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

/** In the published shape: `organization` is the id of OCM, `external_organization` and `ebs_account` are others. */
function subscription(cluster: string, organization: string, more: Readonly<Record<string, string>> = {}): Series {
  return {
    name: 'ocm_subscription',
    labels: {
      ...{ _id: `${cluster}-uuid`, organization, external_organization: `ext-${organization}` },
      ...{ ebs_account: `ebs-${organization}`, support: 'Premium', managed: 'true', billing_model: 'standard' },
      ...{ email_domain: 'example.com', product: 'osd', ...more },
    },
    value: 0,
  };
}

function alert(cluster: string, alertname: string, severity: string, alertstate = 'firing'): Series {
  const labels = { _id: `${cluster}-uuid`, alertname, alertstate, severity, namespace: 'openshift-etcd' };
  return { name: 'alerts', labels, value: 3 };
}

const SERIES = [
  ...['sick', 'well', 'pending', 'warned'].map((cluster) => subscription(cluster, 'org-1')),
  subscription('sick', 'org-1', { support: 'Standard' }),
  subscription('other', 'org-2'),
  alert('sick', 'etcdMembersDown', 'critical'),
  alert('sick', 'KubeAPIDown', 'critical'),
  alert('pending', 'KubeAPIDown', 'critical', 'pending'),
  alert('warned', 'etcdMembersDown', 'warning'),
  alert('other', 'etcdMembersDown', 'critical'),
  alert('stranger', 'etcdMembersDown', 'critical'),
];

const FLEET = upgradeFleet([
  { id: 'org-1', clusters: ['sick', 'well', 'pending', 'warned'].map((name) => member(name)) },
  { id: 'org-2', clusters: [member('other')] },
]);

let prometheus: RealPrometheus;
let cli: UpgradesCli;
beforeAll(async () => {
  prometheus = await startRealPrometheus(SERIES);
  cli = await upgradesCli(FLEET);
});
afterAll(async () => {
  await cli?.dispose();
  await prometheus?.stop();
});

async function planWith(query?: string) {
  const telemetry = { url: `${prometheus.url}/api/v1/query`, credentials: { accessTokenEnv: 'OCM_SECRET' }, query };
  const config = configText(cli.sim)
    .replace('provider: ocm', 'provider: telemeter')
    .replace('organizations:', `  telemetry: ${JSON.stringify(telemetry)}\norganizations:`);
  cli.write('upgrades.yml', config);
  const code = await plan(cli.io, { output: 'json', configFile: 'upgrades.yml' }, cli.clock);
  const { stdout, stderr } = cli.take();
  const { organizations } = JSON.parse(stdout) as {
    organizations: { clusters: { name: string; gate?: string; reason?: string }[] }[];
  };
  const unhealthy = organizations
    .flatMap(({ clusters }) => clusters)
    .filter(({ gate }) => gate === 'health')
    .map(({ name, reason }) => [name, reason]);
  return { code, stderr, unhealthy };
}

describe('the health of clusters in a real Prometheus', () => {
  it('keeps a cluster with a critical alert from its upgrade, and no other', async () => {
    expect(await planWith()).toMatchObject({
      code: 0,
      unhealthy: [
        ['sick', 'critical alerts are firing: 2'],
        ['other', 'critical alerts are firing: 1'],
      ],
    });
  });

  it('is asked with the query of the configuration', async () => {
    const query = 'sum by (_id) (alerts and on (_id) ocm_subscription{ebs_account="ebs-{organization}",product="osd"})';
    const { unhealthy } = await planWith(query);
    expect(unhealthy.map(([name]) => name)).toEqual(['sick', 'pending', 'warned', 'other']);
  });

  it('is unknown, and no cluster is upgraded, when the query cannot be evaluated', async () => {
    const { code, stderr, unhealthy } = await planWith('count by (_id (alerts)');
    expect([code, unhealthy.length]).toEqual([1, 5]);
    expect(stderr).toMatch(/the health check telemeter: http:\S+ it returned 400: .*parse error/);
  });
});
