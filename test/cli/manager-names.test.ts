import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { type ManagerRun, managerRun } from '../support/manager-run.ts';
import { runCli } from '../support/run-cli.ts';

let manager: ManagerRun;
let copy: InstanceCopy;
beforeEach(async () => {
  manager = await managerRun();
  copy = copyInstance();
});
afterEach(() => {
  manager.dispose();
  copy.dispose();
});

const FILE = {
  scheduler: 'data/integrations/advanced-upgrade-scheduler.yml',
  orgScheduler: 'data/integrations/ocm-upgrade-scheduler-org.yml',
  resources: 'data/integrations/terraform-resources.yml',
  users: 'data/integrations/terraform-users.yml',
  slo: 'data/integrations/dashdotdb-slo.yml',
  slack: 'data/integrations/slack-usergroups.yml',
  jira: 'data/integrations/jira-watcher.yml',
  mirror: 'data/integrations/quay-mirror.yaml',
};

const LONG = 'a-name-that-is-one-letter-longer1';

interface Row {
  readonly given: string;
  readonly arrange: (copy: InstanceCopy) => void;
  /** Files and what is said about their stage entry. */
  readonly said: Readonly<Record<string, string>>;
}

const ROWS: readonly Row[] = [
  {
    given: 'two organizations whose ids differ in case alone',
    arrange: (inst) => {
      inst.replace('data/ocm/app-sre-stage.yml', 'orgId: 2c5kd8x1mq0zwv7r', 'orgId: 2A0M9RW3XK5CVD7S');
    },
    said: {
      [FILE.scheduler]:
        'error: two shards of advanced-upgrade-scheduler are both named qontract-reconcile-advanced-upgrade-scheduler-2a0m9rw3xk5cvd7s [object-name-collision]',
      [FILE.orgScheduler]:
        'error: two shards of ocm-upgrade-scheduler-org are both named qontract-reconcile-ocm-upgrade-scheduler-org-2a0m9rw3xk5cvd7s [object-name-collision]',
    },
  },
  {
    given: 'an account whose name Kubernetes does not take',
    arrange: (inst) => {
      inst.replace('data/aws/payments-ci/account.yml', 'name: payments-ci\n', 'name: payments_ci\n');
    },
    said: {
      [FILE.resources]:
        'error: terraform-resources, shard payments_ci: qontract-reconcile-terraform-resources-payments_ci is not a valid DNS-1123 name [bad-object-name]',
      [FILE.users]:
        'error: terraform-users, shard payments_ci: qontract-reconcile-terraform-users-payments_ci is not a valid DNS-1123 name [bad-object-name]',
    },
  },
  {
    given: 'a schedule with a name too long for its jobs',
    arrange: (inst) => {
      inst.replace(FILE.slo, 'name: dashdotdb-slo\n', `name: ${LONG}x\n`);
    },
    said: {
      [FILE.slo]: `error: ${LONG}x, shard 0: qontract-reconcile-${LONG}x has 53 characters; the limit for a CronJob is 52 [bad-object-name]`,
    },
  },
  {
    given: 'a cache with a name too long for its pods',
    arrange: (inst) => {
      inst.replace(FILE.mirror, 'name: quay-mirror\n', `name: ${LONG}x\n`);
    },
    said: {
      [FILE.mirror]: `error: ${LONG}x, shard 0: qontract-reconcile-${LONG}x has 53 characters; the limit for a StatefulSet is 52 [bad-object-name]`,
    },
  },
  {
    given: 'a loop with a name too long for a label',
    arrange: (inst) => {
      inst.replace(FILE.slack, 'name: slack-usergroups\n', `name: ${LONG}-and-some-more\n`);
    },
    said: {
      [FILE.slack]: `error: ${LONG}-and-some-more, shard 0: the label qontract-reconcile-${LONG}-and-some-more has 66 characters; the limit is 63 [bad-object-name]`,
    },
  },
  {
    given: 'an integration twice in one namespace',
    arrange: (inst) => {
      const [head = '', first = ''] = inst.text(FILE.jira).split(/^(?=- namespace:)/m);
      inst.write(FILE.jira, `${head}${first.trimEnd()}\n\n${first}`);
    },
    said: {
      [FILE.jira]: 'error: jira-watcher is managed twice in app-sre-stage-01/app-interface-stage [managed-twice]',
    },
  },
  {
    given: 'an integration named like a shard of another',
    arrange: (inst) => {
      inst.replace(FILE.slack, 'name: slack-usergroups\n', 'name: openshift-vault-secrets-0\n');
    },
    said: {
      [FILE.slack]:
        'error: openshift-vault-secrets-0 and openshift-vault-secrets (data/integrations/openshift-vault-secrets.yml) both have an object qontract-reconcile-openshift-vault-secrets-0 in this namespace [object-name-collision]',
    },
  },
];

const stage = () =>
  manager.run(['render', '--data', copy.root, '--environment-name', 'app-interface-stage', '-o', 'json']);

const names = (stdout: string): string[] =>
  JSON.parse(stdout).items.flatMap((item: { objects: { metadata: { name: string } }[] }) =>
    item.objects.map(({ metadata }) => metadata.name),
  );

/** Of the example as it is, rendered once. */
let unchanged: Promise<readonly string[]> | undefined;

describe('names that would be refused or would meet', () => {
  it.each(ROWS)('$given: each is told with its file, and the rest is rendered', async ({ arrange, said }) => {
    unchanged ??= stage().then(({ stdout }) => names(stdout));
    const before = await unchanged;
    arrange(copy);
    const { code, stdout, stderr } = await stage();
    expect(code).toBe(1);
    const lines = stderr.split('\n').filter((line) => line.includes(' error: '));
    expect(lines).toEqual(Object.entries(said).map(([file, text]) => expect.stringMatching(located(file, text))));
    const left = names(stdout);
    expect(left.filter((name) => !before.includes(name))).toEqual([]);
    expect(left.length).toBeGreaterThan(20);
  });

  it('as long as they may be are rendered', async () => {
    copy.replace(FILE.slo, 'name: dashdotdb-slo\n', `name: ${LONG}\n`);
    const { code, stdout, stderr } = await stage();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(names(stdout)).toContain(`qontract-reconcile-${LONG}`);
  });
});

const CHARTS = join(import.meta.dirname, '../manager/charts');
const renamed = (inst: InstanceCopy, file: string, from: string, to: string) =>
  inst.replace(file, `name: ${from}\n`, `name: ${to}\n`);

describe('names that another chart gives', () => {
  const withChart = (chart: string) =>
    manager.run([
      ...['render', '--data', copy.root, '--environment-name', 'app-interface-stage', '-o', 'json'],
      ...['--chart', join(CHARTS, chart)],
    ]);

  it('are not refused for what the built-in chart would name them', async () => {
    renamed(copy, FILE.slo, 'dashdotdb-slo', `${LONG}x`);
    renamed(copy, FILE.mirror, 'quay-mirror', `${LONG}-and-some-more`);
    renamed(copy, FILE.slack, 'slack-usergroups', 'openshift-vault-secrets-0');
    const { code, stdout, stderr } = await withChart('other-names');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(names(stdout)).toEqual(
      expect.arrayContaining([
        `fleet.${LONG}x`,
        `fleet.${LONG}-and-some-more`,
        'fleet.openshift-vault-secrets-0',
        'fleet-0.openshift-vault-secrets',
      ]),
    );
    const validated = await Promise.all(
      [[], ['--chart', 'x']].map((args) => runCli(['validate', '--data', copy.root, ...args])),
    );
    expect(validated.map((run) => run.code)).toEqual([1, 0]);
  });

  it('are refused after rendering, each with its file, and the rest is rendered', async () => {
    const timed = 'a'.repeat(47);
    renamed(copy, FILE.slo, 'dashdotdb-slo', timed);
    renamed(copy, 'data/aws/payments-ci/account.yml', 'payments-ci', 'payments_ci');
    const { code, stdout, stderr } = await withChart('other-names');
    expect(code).toBe(1);
    const lines = stderr.split('\n').filter((line) => line.startsWith('error: '));
    expect(lines).toEqual([
      expect.stringContaining(
        `${timed} (${FILE.slo}): CronJob fleet.${timed}: the name has 53 characters; the limit for a CronJob is 52 [OBJECT_NAME_INVALID]`,
      ),
      expect.stringContaining(
        `terraform-resources (${FILE.resources}): Deployment fleet-payments_ci.terraform-resources: the name is not a valid DNS-1123 name [OBJECT_NAME_INVALID]`,
      ),
      expect.stringContaining(`terraform-users (${FILE.users}): Deployment fleet-payments_ci.terraform-users: `),
    ]);
    expect(names(stdout).length).toBeGreaterThan(20);
    expect(names(stdout).filter((name) => /terraform-(resources|users)|aaaa/.test(name))).toEqual([]);
  });

  it('that meet leave out the second integration, not the namespace', async () => {
    renamed(copy, FILE.slack, 'slack-usergroups', 'openshift-vault-secrets-0');
    const { code, stdout, stderr } = await withChart('existing-fleet');
    expect(code).toBe(1);
    const lines = stderr.split('\n').filter((line) => line.startsWith('error: '));
    expect(lines).toEqual([
      expect.stringContaining(
        `openshift-vault-secrets-0 (${FILE.slack}): openshift-vault-secrets (data/integrations/openshift-vault-secrets.yml) has an object`,
      ),
    ]);
    expect(names(stdout)).toContain('qontract-reconcile-openshift-vault-secrets-0');
    expect(names(stdout).length).toBeGreaterThan(20);
  });
});

/** A line that names the file as it is to be opened, with a line and column, and then says the text. */
function located(file: string, text: string): RegExp {
  const plain = (part: string): string => part.replaceAll(/[.[\]()]/g, '\\$&');
  return new RegExp(`${plain(file)}:\\d+:\\d+: ${plain(text)}$`);
}
