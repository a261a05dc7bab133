import type * as z from 'zod';
import { datafileShape, type KindName, managerFileShape } from '../instance/index.ts';
import { promotionShape } from '../promotion/index.ts';
import { rolloutsShape } from '../rollouts/index.ts';
import { shadowShape } from '../shadow/index.ts';
import { upgradesShape } from '../upgrades/index.ts';
import {
  ACCOUNT,
  CLUSTER,
  ENVIRONMENT,
  type FieldTexts,
  LEAN_NAMESPACE,
  NAMESPACE,
  ORGANIZATION,
} from './texts/datafiles.ts';
import {
  MANAGER,
  MANAGER_EXAMPLE,
  PROMOTION,
  ROLLOUTS,
  ROLLOUTS_EXAMPLE,
  SHADOW,
  SHADOW_EXAMPLE,
  UPGRADES,
} from './texts/echelon-files.ts';
import { INTEGRATION, INTEGRATION_EXAMPLE } from './texts/integration.ts';

/** A kind of file that users write. */
export interface FileKind {
  /** The name in `echelon explain KIND`. */
  readonly name: string;
  readonly title: string;
  readonly meaning: string;
  /** The location of such files. */
  readonly place: string;
  /** The shape that the reader accepts. */
  readonly shape: () => z.ZodType;
  readonly texts: FieldTexts;
  /** A whole file, where the fields that it requires show too little. */
  readonly example?: unknown;
  /** Checks of the reader that a JSON Schema cannot express. */
  readonly alsoChecked: readonly string[];
}

const REFERENCES = 'every $ref leads to a file of the right kind';
const SCHEDULES = 'a schedule is a valid cron expression that matches some day';

/** All kinds of files that users write. To add one, add a row and its texts. */
export const KINDS: readonly FileKind[] = [
  datafile('integration', {
    name: 'integration',
    meaning: 'An integration: what it is, where it runs, and in how many shards.',
    texts: INTEGRATION,
    example: INTEGRATION_EXAMPLE,
    alsoChecked: [
      REFERENCES,
      `${SCHEDULES}, with 0 to 6 for weekdays`,
      'requests are not above limits',
      'a file declares at most 20,000 shards',
      'the deprecated spellings of the instance guide are checked as well',
    ],
  }),
  datafile('namespace', {
    name: 'namespace',
    meaning: 'A namespace of a cluster, in an environment.',
    texts: NAMESPACE,
    alsoChecked: [REFERENCES],
  }),
  datafile('leanNamespace', {
    name: 'lean-namespace',
    meaning: 'A namespace that contains its cluster and environment, for instances without files for those.',
    texts: LEAN_NAMESPACE,
    alsoChecked: ['one cluster name has one API server'],
  }),
  datafile('cluster', {
    name: 'cluster',
    meaning: 'A cluster and how to access it.',
    texts: CLUSTER,
    alsoChecked: [REFERENCES, SCHEDULES],
  }),
  datafile('environment', {
    name: 'environment',
    meaning: 'An environment of a product, such as stage.',
    texts: ENVIRONMENT,
    alsoChecked: [REFERENCES],
  }),
  datafile('account', { name: 'account', meaning: 'An AWS account.', texts: ACCOUNT, alsoChecked: [] }),
  datafile('organization', {
    name: 'organization',
    meaning: 'An OCM organization and the upgrade policies of its clusters.',
    texts: ORGANIZATION,
    alsoChecked: [REFERENCES, SCHEDULES],
  }),
  {
    name: 'manager',
    title: 'manager.yml',
    meaning: 'Which images the integrations of each upstream run, and defaults of flags.',
    place: 'resources/echelon/manager.yml of the instance',
    shape: () => managerFileShape,
    texts: MANAGER,
    example: MANAGER_EXAMPLE,
    alsoChecked: ['an upstream is listed once', 'defaults and parameters name what the instance has'],
  },
  {
    name: 'rollouts',
    title: 'rollouts.yml',
    meaning: 'How new images reach shards in waves.',
    place: 'resources/echelon/rollouts.yml of the instance',
    shape: () => rolloutsShape,
    texts: ROLLOUTS,
    example: ROLLOUTS_EXAMPLE,
    alsoChecked: [
      'names of tracks, waves, queries and freezes are unique, and those that are used exist',
      'times exist, and an end is after its begin',
      'a window is a valid cron expression that opens some day',
      'min is not above max',
    ],
  },
  {
    name: 'promotion',
    title: 'promotion.yml',
    meaning: 'Which places of an instance hold a version, and of which upstream.',
    place: 'promotion.yml in the root of the instance; echelon promote init writes it',
    shape: () => promotionShape,
    texts: PROMOTION,
    alsoChecked: [
      'names of targets are unique, and their upstreams exist',
      'targets of an upstream without url have the form tag or digest',
    ],
  },
  {
    name: 'upgrades',
    title: 'upgrades.yml',
    meaning: 'The configuration of cluster upgrades without an instance.',
    place: 'any file, for --config-file of the commands of upgrades',
    shape: () => upgradesShape,
    texts: UPGRADES,
    alsoChecked: ['names of environments are unique', 'addresses are complete URLs'],
  },
  {
    name: 'shadow',
    title: 'shadow.yml',
    meaning: 'How the dry runs of two images are compared.',
    place: 'resources/echelon/shadow.yml of the instance',
    shape: () => shadowShape,
    texts: SHADOW,
    example: SHADOW_EXAMPLE,
    alsoChecked: ['patterns are RE2 and match no empty text', 'names are those of integrations'],
  },
];

function datafile(kind: KindName, row: Omit<FileKind, 'title' | 'place' | 'shape'>): FileKind {
  const { schema, shape } = datafileShape(kind);
  return { ...row, title: schema, place: `a file below data/ with $schema: ${schema}`, shape: () => shape };
}
