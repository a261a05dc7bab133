import * as z from 'zod';
import { sharedTexts, shortened } from '../../base/index.ts';
import {
  equal,
  listRecords,
  type OcmList,
  type RecordKind,
  required,
  type Selection,
  searches,
  startsWith,
  text,
} from './listing.ts';
import { ACCOUNTS, isNotFound, OcmError, segment, type Transport } from './transport.ts';

type LabelType = 'Subscription' | 'Organization' | 'Account';

export interface LabelRecord {
  readonly key: string;
  /** May be empty. */
  readonly value: string;
  /** The owner: one of the two, or neither for the label of an account. */
  readonly subscriptionId: string | undefined;
  readonly organizationId: string | undefined;
}

interface LabelQuery {
  readonly keyPrefix: string;
  readonly type?: LabelType;
  readonly by?: Selection<'organization_id' | 'subscription_id'>;
}

interface LabelOwner {
  readonly kind: 'subscription' | 'organization';
  readonly id: string;
}

interface LabelInput {
  readonly key: string;
  readonly value: string;
  /** Internal labels are for Red Hat staff. */
  readonly internal?: boolean;
}

export interface LabelApi {
  /** Labels of any owner whose key starts like this. */
  listLabels(query: LabelQuery): Promise<OcmList<LabelRecord>>;
  /** Labels of one owner; for accounts that may not list those of others. */
  listLabelsOf(owner: LabelOwner, keyPrefix?: string): Promise<OcmList<LabelRecord>>;
  /** Replaces the value of a key that is there already. */
  createLabel(owner: LabelOwner, label: LabelInput): Promise<void>;
  updateLabel(owner: LabelOwner, label: LabelInput): Promise<void>;
  deleteLabel(owner: LabelOwner, key: string): Promise<'deleted' | 'absent'>;
}

/** Labels, of which a large fleet has hundreds of thousands: equal texts of those read by one reader are kept once. */
export function labelKind(): RecordKind<LabelRecord> {
  const shared = sharedTexts();
  const owner = text.transform((id) => (id === undefined ? undefined : shared(id)));
  return {
    known: ['key', 'type', 'subscription_id', 'organization_id'],
    shape: z
      .object({ id: required, key: required, value: z.string(), subscription_id: owner, organization_id: owner })
      .transform(({ key, value, subscription_id: subscriptionId, organization_id: organizationId }) => ({
        ...{ key: shared(key), value: shared(value), subscriptionId, organizationId },
      })),
  };
}

/** The key is a segment of a path that all clients write as it is. */
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/;

export function labelApi(transport: Transport): LabelApi {
  return {
    listLabels: async ({ keyPrefix, type, by }) => {
      const collection = { ...labelKind(), path: `${ACCOUNTS}/labels`, name: 'labels', orderBy: 'orderBy' } as const;
      const terms = [startsWith('key', keyPrefix), ...(type === undefined ? [] : [equal('type', type)])];
      return withPrefix(keyPrefix, await listRecords(transport, collection, searches(terms, by)));
    },
    listLabelsOf: async (owner, keyPrefix = '') => {
      const terms = keyPrefix === '' ? [] : [startsWith('key', keyPrefix)];
      const collection = { ...labelKind(), ...labelsOf(owner), orderBy: 'orderBy' } as const;
      return withPrefix(keyPrefix, await listRecords(transport, collection, searches(terms)));
    },
    createLabel: async (owner, label) => {
      const { path, name } = labelsOf(owner);
      checkKey(label.key);
      await transport.send({ method: 'POST', path, collection: name, json: bodyOf(label), repeat: 'any-failure' });
    },
    updateLabel: async (owner, label) => {
      const { path, name } = labelOf(owner, label.key);
      await transport.send({ method: 'PATCH', path, collection: name, json: bodyOf(label), repeat: 'any-failure' });
    },
    deleteLabel: async (owner, key) => {
      const { path, name } = labelOf(owner, key);
      try {
        await transport.send({ method: 'DELETE', path, collection: name, repeat: 'any-failure' });
        return 'deleted';
      } catch (thrown) {
        if (isNotFound(thrown)) return 'absent';
        throw thrown;
      }
    },
  };
}

/** A search takes `_` and `%` of the prefix for any text. */
function withPrefix(prefix: string, { items, problems }: OcmList<LabelRecord>): OcmList<LabelRecord> {
  return { items: items.filter(({ key }) => key.startsWith(prefix)), problems };
}

function labelsOf({ kind, id }: LabelOwner): { path: string; name: string } {
  return { path: `${ACCOUNTS}/${kind}s/${segment(id)}/labels`, name: `${kind}_labels` };
}

function labelOf(owner: LabelOwner, key: string): { path: string; name: string } {
  checkKey(key);
  const { path, name } = labelsOf(owner);
  return { path: `${path}/${segment(key)}`, name };
}

function checkKey(key: string): void {
  if (KEY.test(key)) return;
  throw new OcmError({
    code: 'OCM_ID_INVALID',
    message: `"${shortened(key)}" is not a valid OCM label key`,
    hint: 'use letters, digits, dots, dashes and underscores, up to 255 characters',
  });
}

function bodyOf({ key, value, internal = false }: LabelInput) {
  return { kind: 'Label', key, value, internal };
}
