import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SIM_SECRET, type UpgradesCli } from './upgrades-cli.ts';

/** Flags of a command that reads the instance of `putInstance`. */
export function instanceFlags({ folder }: UpgradesCli) {
  return { data: 'instance', secretsDir: join(folder, 'secrets'), state: 'state' };
}

/** An instance that declares the OCMs of a simulation, and organizations there with these fields, by id. */
export function putInstance(
  { folder, sim }: UpgradesCli,
  organizations: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): void {
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const datafile = (path: string, content: object): void => put(`instance/data/${path}`, JSON.stringify(content));
  datafile('settings.yml', {
    $schema: '/app-interface/app-interface-settings-1.yml',
    ...{ name: 'test', repoUrl: 'https://example.com/data', hashLength: 7, vault: false },
  });
  const [first] = sim.environments.keys();
  for (const { name, url, tokenUrl } of sim.environments.values()) {
    datafile(`ocm/env/${name}.yml`, {
      $schema: '/openshift/openshift-cluster-manager-environment-1.yml',
      ...{ labels: {}, name, description: 'x', url, accessTokenClientId: 'robot', accessTokenUrl: tokenUrl },
      accessTokenClientSecret: { path: `ocm/${name}`, field: 'client_secret' },
    });
    put(`secrets/ocm/${name}/client_secret`, SIM_SECRET);
  }
  for (const [orgId, more] of Object.entries(organizations)) {
    datafile(`ocm/${orgId}.yml`, {
      $schema: '/openshift/openshift-cluster-manager-1.yml',
      ...{ labels: {}, name: `ocm-${orgId}`, description: 'x', orgId, environment: { $ref: `/ocm/env/${first}.yml` } },
      ...more,
    });
  }
}
