import { type FieldTexts, under } from '../kind.ts';

export const PROMOTION: FieldTexts = {
  upstreams: [
    'repositories or images whose versions are promoted, by a name of your choice; targets without an upstream belong to the first',
    { reconcile: { url: 'https://github.com/app-sre/qontract-reconcile' } },
  ],
  ...under('upstreams', {
    url: [
      'address of the repository; when absent its versions are tags of the image, promoted with --to TAG',
      'https://github.com/app-sre/qontract-reconcile',
    ],
    image: ['image repository, asked for the image of a commit', 'quay.io/app-sre/qontract-reconcile'],
    branch: ['branch whose newest commit is promoted; the default branch when absent', 'main'],
    labels: ['labels of its merge requests, in addition', ['reconcile']],
  }),
  labels: ['labels of all merge requests', ['promotion']],
  targetBranch: ['branch that merge requests go to; the default branch when absent', 'main'],
  branchPrefix: ['begin of the name of branches that are pushed', 'promote-'],
  targets: [
    'places that hold a version',
    [{ name: 'checks', file: '.env', key: 'RECONCILE_IMAGE_TAG', form: 'short' }],
  ],
  ...under('targets', {
    name: ['name of the target, as in --only', 'checks'],
    environment: ['environment that it deploys to, as in --only', 'app-interface-production'],
    upstream: ['upstream whose version it holds; the first when absent', 'reconcile'],
    file: ['one file, below the root of the instance; either this or schema', '.env'],
    schema: [
      'all datafiles with this $schema, or with one of several; either this or file',
      '/app-sre/saas-file-2.yml',
    ],
    selector: ['values that the datafile must have, by dotted key; with schema', { name: 'saas-qontract-manager' }],
    key: ['key of a line KEY=VALUE in the file; either this or path', 'RECONCILE_IMAGE_TAG'],
    path: [
      'where the value is: keys separated by dots, [key=value] for an item of a list, [] for all items',
      'resourceTemplates[name=manager].targets[].ref',
    ],
    digest: ['key beside the value that holds the digest of the image; with path', 'IMAGE_DIGEST'],
    form: ['how the version is written: an abbreviated commit, a full one, a digest, or a release name'],
    length: ['characters of the form short; those of the instance when absent', 7],
    required: ['whether a promotion fails when the place does not exist'],
    matches: ['how many places there must be', { min: 1, max: 3 }],
    'matches.min': ['fewest places', 1],
    'matches.max': ['most places', 3],
  }),
};
