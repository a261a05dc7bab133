import * as z from 'zod';
import { sharedTexts, shortened } from '../../base/index.ts';
import { flag, required, text, time } from './fields.ts';
import { type Collection, listRecords, type OcmList, type RecordKind } from './listing.ts';
import { isNotFound, OcmError } from './ocm-error.ts';
import { ACCOUNTS, segment } from './paths.ts';
import { equal, type Selection, searches, startsWith } from './search.ts';

import type { Transport } from './transport.ts';

type LabelType = 'Subscription' | 'Organization' | 'Account';

export interface LabelRecord {
  readonly id: string;
  readonly key: string;
  /** May be empty. */
  readonly value: string;
  readonly internal: boolean;
  /** `Subscription`, `Organization` or `Account`; says which of the three ids there is. */
  readonly type: string | undefined;
  readonly subscriptionId: string | undefined;
  readonly organizationId: string | undefined;
  readonly accountId: string | undefined;
  /** `Config` labels cannot be changed. */
  readonly managedBy: string | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
}

/** What a label says, and of whom. */
interface BareLabel {
  readonly key: string;
  readonly value: string;
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
  /** The same without what else a label has: of a large fleet there are hundreds of thousands. */
  listBareLabels(query: Pick<LabelQuery, 'keyPrefix'>): Promise<OcmList<BareLabel>>;
  /** Labels of one owner; for accounts that may not list those of others. */
  listLabelsOf(owner: LabelOwner, keyPrefix?: string): Promise<OcmList<LabelRecord>>;
  /** Replaces the value of a key that is there already. */
  createLabel(owner: LabelOwner, label: LabelInput): Promise<void>;
  updateLabel(owner: LabelOwner, label: LabelInput): Promise<void>;
  deleteLabel(owner: LabelOwner, key: string): Promise<'deleted' | 'absent'>;
}

export const LABEL: RecordKind<LabelRecord> = {
  known: ['key', 'type', 'subscription_id', 'organization_id'],
  shape: z
    .object({
      ...{ id: required, key: required, value: z.string(), internal: flag, type: text, managed_by: text },
      ...{ subscription_id: text, organization_id: text, account_id: text, created_at: time, updated_at: time },
    })
    .transform((label) => ({
      ...{ id: label.id, key: label.key, value: label.value, internal: label.internal, type: label.type },
      ...{ subscriptionId: label.subscription_id, organizationId: label.organization_id, accountId: label.account_id },
      ...{ managedBy: label.managed_by, createdAt: label.created_at, updatedAt: label.updated_at },
    })),
};

const ALL_LABELS = { path: `${ACCOUNTS}/labels`, name: 'labels', orderBy: 'orderBy' } as const;

/** Texts that labels have in common are kept once. */
function bareLabel(): RecordKind<BareLabel> {
  const shared = sharedTexts();
  const owner = text.transform((id) => (id === undefined ? undefined : shared(id)));
  return {
    known: LABEL.known,
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
  const list = async <T extends BareLabel>(kind: RecordKind<T>, { keyPrefix, type, by }: LabelQuery) => {
    const collection: Collection<T> = { ...kind, ...ALL_LABELS };
    const terms = [startsWith('key', keyPrefix), ...(type === undefined ? [] : [equal('type', type)])];
    return withPrefix(keyPrefix, await listRecords(transport, collection, searches(terms, by)));
  };
  return {
    listLabels: (query) => list(LABEL, query),
    listBareLabels: (query) => list(bareLabel(), query),
    listLabelsOf: async (owner, keyPrefix = '') => {
      const terms = keyPrefix === '' ? [] : [startsWith('key', keyPrefix)];
      const collection: Collection<LabelRecord> = { ...LABEL, ...labelsOf(owner), orderBy: 'orderBy' };
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
function withPrefix<T extends BareLabel>(prefix: string, { items, problems }: OcmList<T>): OcmList<T> {
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
