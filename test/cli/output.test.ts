import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE } from '../support/shared.ts';

const get = (...args: readonly string[]) => runCli(['get', ...args, '--data', EXAMPLE_INSTANCE]);

/** Text blocks of the tables below stand without the line break that the template begins with. */
const text = (block: string): string => block.replace(/^\n/, '');

describe('get as a table', () => {
  it.each([
    {
      args: ['integrations', 'dashdotdb-slo', 'slack-usergroups', 'saas-file-validator', 'quay-mirror'],
      table: `
NAME                  ENVIRONMENT                CLUSTER/NAMESPACE                          KIND          SHARDING   IMAGE
dashdotdb-slo         app-interface-stage        app-sre-stage-01/app-interface-stage       CronJob       static 1   default
dashdotdb-slo         app-interface-production   app-sre-prod-01/app-interface-production   CronJob       static 1   default
quay-mirror           app-interface-stage        app-sre-stage-01/app-interface-stage       StatefulSet   static 1   default
quay-mirror           app-interface-production   app-sre-prod-01/app-interface-production   StatefulSet   static 1   default
saas-file-validator   -                          -                                          not managed   -          -
slack-usergroups      app-interface-stage        app-sre-stage-01/app-interface-stage       Deployment    static 1   default
slack-usergroups      app-interface-production   app-sre-prod-01/app-interface-production   Deployment    static 1   0473914
`,
    },
    {
      args: ['integrations', '-e', 'app-interface-production', '-i', 'terraform-resources', '-i', 'openshift-groups'],
      table: `
NAME                  ENVIRONMENT                CLUSTER/NAMESPACE                          KIND         SHARDING                       IMAGE
openshift-groups      app-interface-production   app-sre-prod-01/app-interface-production   Deployment   static 2                       default
terraform-resources   app-interface-production   app-sre-prod-01/app-interface-production   Deployment   per-aws-account, 2 overrides   default, 2 pins
`,
    },
    {
      args: ['environments'],
      table: `
NAME                       PRODUCT         PHASE   NAMESPACES   INTEGRATIONS
app-interface-production   app-interface   prod    5            19
app-interface-stage        app-interface   stage   2            16
edge-lab                   -               -       1            2
payments-production        payments        prod    4            0
payments-stage             payments        stage   1            0
`,
    },
    {
      args: ['environments', '--integration', 'integrations-manager'],
      table: `
NAME       PRODUCT   PHASE   NAMESPACES   INTEGRATIONS
edge-lab   -         -       1            2
`,
    },
    {
      args: ['clusters', '--environment', 'app-interface-production'],
      table: `
NAME              PRODUCT       VERSION   CHANNEL   ORGANIZATION   NAMESPACES   INTEGRATIONS
app-sre-ci        osd           4.18.9    stable    ocm-app-sre    2            0
app-sre-prod-01   rosa          4.18.9    stable    ocm-app-sre    2            13
app-sre-prod-02   rosa hosted   4.18.11   fast      ocm-app-sre    2            7
`,
    },
    {
      args: ['clusters', '-i', 'ldap-users'],
      table: `
NAME              PRODUCT       VERSION   CHANNEL   ORGANIZATION   NAMESPACES   INTEGRATIONS
app-sre-prod-02   rosa hosted   4.18.11   fast      ocm-app-sre    2            7
`,
    },
    {
      args: ['accounts', 'payments', 'payments-archive'],
      table: `
NAME               UID            REGION      DISABLED FOR
payments           520000000001   us-east-1   -
payments-archive   520000000004   us-west-2   terraform-resources
`,
    },
    {
      args: ['accounts', '-i', 'terraform-resources', 'app-sre', 'payments-archive'],
      table: `
NAME      UID            REGION      DISABLED FOR
app-sre   410000000001   us-east-1   -
`,
    },
    {
      args: ['organizations', '-e', 'ocm-stage'],
      table: `
NAME                 ORG ID             OCM ENVIRONMENT   CLUSTERS   POLICIES   SECTORS
ocm-app-sre-stage    2c5kd8x1mq0zwv7r   ocm-stage         2          0          canary,general
ocm-payments-stage   2a0m9rw3xk5cvd7s   ocm-stage         0          2          early
`,
    },
    {
      args: ['organizations', '-e', 'ocm-stage', '-i', 'advanced-upgrade-scheduler'],
      table: `
NAME                 ORG ID             OCM ENVIRONMENT   CLUSTERS   POLICIES   SECTORS
ocm-payments-stage   2a0m9rw3xk5cvd7s   ocm-stage         0          2          early
`,
    },
  ])('get $args', async ({ args, table }) => {
    expect(await get(...args)).toEqual({ code: 0, stdout: text(table), stderr: '' });
  });
});

describe('get -o wide adds columns', () => {
  it.each([
    {
      args: ['integrations', 'ldap-users'],
      added: [
        ['SCHEDULE', 'loop, 21600 s apart'],
        ['RESOURCES', 'cpu 50m..200m memory 150Mi..300Mi'],
        ['PR CHECK', 'yes'],
        ['UPSTREAM', 'https://github.com/app-sre/qontract-reconcile'],
        ['FILE', 'data/integrations/ldap-users.yml'],
      ],
    },
    {
      args: ['environments', 'edge-lab'],
      added: [
        ['CLUSTERS', 'edge-lab-01'],
        ['PARAMETERS', '5'],
        ['UPSTREAM REFS', 'fleet-tools@a4e1c58'],
        ['DEPENDS ON', '-'],
        ['FILE', 'in lean namespaces'],
      ],
    },
    {
      args: ['clusters', 'app-sre-ci'],
      added: [
        ['REGION', 'us-east-1'],
        ['ACCESS', 'private, TLS not verified'],
        ['UPGRADES', 'ci soak 5 d at 0 6 * * 1-5'],
        ['DISABLED FOR', '-'],
        ['SERVER', 'https://api.app-sre-ci.us.example.com:6443'],
        ['FILE', 'data/openshift/app-sre-ci/cluster.yml'],
      ],
    },
    {
      args: ['accounts', 'app-sre'],
      added: [
        ['PARTITION', 'aws'],
        ['REGIONS', 'us-east-1,us-west-2'],
        ['LABELS', 'owner=app-sre'],
        ['FILE', 'data/aws/app-sre/account.yml'],
      ],
    },
    {
      args: ['organizations', 'ocm-payments'],
      added: [
        ['BLOCKED VERSIONS', '^4\\.17\\.(1[0-9]|20)$'],
        ['INHERITS FROM', 'ocm-payments-stage'],
        ['PUBLISHES TO', '-'],
        ['DISABLED FOR', '-'],
        ['URL', 'https://api.ocm.example.com'],
        ['FILE', 'data/ocm/payments.yml'],
      ],
    },
  ])('get $args', async ({ args, added }) => {
    const narrow = cells((await get(...args)).stdout);
    const wide = cells((await get(...args, '-o', 'wide')).stdout);
    expect(wide).toEqual([...narrow, ...added]);
  });
});

/** The titles of a table of one row, each with its cell. */
function cells(table: string): string[][] {
  const [titles = [], row = []] = table.split('\n').map((line) => line.split(/ {3,}/));
  return titles.map((title, index) => [title, row[index] ?? '']);
}

describe('get of nothing', () => {
  it.each([
    { args: ['clusters', '-i', 'saas-file-validator'], stderr: 'no clusters found\n' },
    { args: ['integrations', 'ldap-users', '-e', 'edge-lab'], stderr: 'no integrations found\n' },
    { args: ['clusters', '-i', 'saas-file-validator', '-o', 'markdown'], stderr: 'no clusters found\n' },
    { args: ['clusters', '-i', 'saas-file-validator', '-o', 'name'], stderr: '' },
  ])('get $args prints nothing, and is no error', async ({ args, stderr }) => {
    expect(await get(...args)).toEqual({ code: 0, stdout: '', stderr });
  });
});

describe('get of a name that does not exist', () => {
  it.each([
    {
      args: ['integrations', 'terraform-resource'],
      says: 'no integration terraform-resource in this instance',
      is: 'INTEGRATION_UNKNOWN',
      hint: 'did you mean terraform-resources?',
    },
    {
      args: ['clusters', 'zzz'],
      says: 'no cluster zzz in this instance',
      is: 'CLUSTER_UNKNOWN',
      hint: 'list them with: echelon get clusters',
    },
    {
      args: ['clusters', '-e', 'app-interface-stages'],
      says: 'no environment app-interface-stages in this instance',
      is: 'ENVIRONMENT_UNKNOWN',
      hint: 'did you mean app-interface-stage?',
    },
    {
      args: ['accounts', '-i', 'zzz'],
      says: 'no integration zzz in this instance',
      is: 'INTEGRATION_UNKNOWN',
      hint: 'list them with: echelon get integrations',
    },
    {
      args: ['organizations', '-e', 'app-interface-production'],
      says: 'no environment app-interface-production in this instance',
      is: 'ENVIRONMENT_UNKNOWN',
      hint: 'list them with: echelon get organizations',
    },
  ])('get $args: $hint', async ({ args, says, is, hint }) => {
    const stderr = `error: ${says}\n code: ${is}\n hint: ${hint}\n`;
    expect(await get(...args)).toEqual({ code: 1, stdout: '', stderr });
  });
});
