import { type Defect, FILE } from './defect.ts';

const ARCHIVE = '$ref: /aws/payments-archive/account.yml';
const BEFORE_PAYMENTS = '      # by far the largest account\n';

/** How work is divided, and overrides of single shards. */
export const SHARDING_DEFECTS: readonly Defect[] = [
  {
    defect: 'an unknown strategy',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(
        FILE.terraformUsers,
        '    strategy: per-aws-account\n\n',
        '    strategy: per-aws-acount\n\n',
        'per-aws',
      ),
      rule: 'unknown-strategy',
      says: 'per-aws-acount is not a sharding strategy',
      hint: 'did you mean per-aws-account?',
    }),
  },
  {
    defect: 'no shards',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.housekeeping, 'shards: 3', 'shards: 0', '0'),
      rule: 'bad-shard-count',
      says: 'the minimum is 1',
    }),
  },
  {
    defect: 'an override for a cluster where shards are accounts',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.terraformUsers, ARCHIVE, '$ref: /openshift/app-sre/cluster.yml', '$ref'),
      rule: 'override-unknown-shard',
      says: '/openshift/app-sre/cluster.yml, which is not an AWS account',
    }),
  },
  {
    defect: 'an override for an account whose file was deleted',
    withoutSchemas: true,
    inject: (copy) => {
      copy.remove('data/aws/payments-ci/account.yml');
      const at = copy.find('data/integrations/terraform-vpc-peerings.yaml', '/aws/payments-ci/account.yml');
      return { at, rule: 'ref-dangling', says: '/aws/payments-ci/account.yml does not exist' };
    },
  },
  {
    defect: 'an override for a shard that is switched off in its own file',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(
        FILE.terraform,
        'shard:\n        $ref: /aws/app-sre/account.yml',
        `shard:\n        ${ARCHIVE}`,
        '$ref',
      ),
      rule: 'override-disabled-shard',
      says: 'payments-archive disables terraform-resources',
    }),
  },
  {
    defect: 'two overrides for one shard',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(
        FILE.terraform,
        BEFORE_PAYMENTS,
        `    - shard:\n        $ref: /aws/app-sre/account.yml\n      disabled: true\n`,
        '$ref',
      ),
      rule: 'override-duplicate',
      says: 'app-sre already has an override',
    }),
  },
  {
    defect: 'sub-sharding of an account for an integration that does not divide its work',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(
        FILE.terraform,
        BEFORE_PAYMENTS,
        '      subSharding:\n        strategy: static\n        shards: 3\n',
        'strategy',
      ),
      rule: 'sub-sharding-undivided',
      says: 'terraform-resources is not known to divide its work by SHARDS: all 3 sub-shards of payments would do the same work',
      hint: "add 'SHARDS' to its capabilities",
    }),
  },
  {
    defect: 'rendezvous membership of an integration that knows MD5 only',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.housekeeping, 'shards: 3', 'shards: 3\n    membership: rendezvous', 'rendezvous'),
      rule: 'membership-unsupported',
      says: 'gitlab-housekeeping is not known to support rendezvous membership',
      hint: "add 'SHARD_MEMBERSHIP' to its capabilities",
    }),
  },
  {
    defect: 'an integration that is managed twice in one namespace',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(
        FILE.groups,
        '$ref: /services/app-interface/namespaces/app-interface-production.yml',
        '$ref: /services/app-interface/namespaces/app-interface-stage.yml',
      ),
      rule: 'managed-twice',
      says: 'openshift-groups is managed twice in app-sre-stage-01/app-interface-stage',
    }),
  },
];
