import * as z from 'zod';
import { flag, required, rows, text, time } from './fields.ts';
import type { LabelRecord } from './labels.ts';
import { listRecords, type OcmList, readRecord } from './listing.ts';
import { ACCOUNTS } from './paths.ts';
import { type Selection, searches } from './search.ts';
import { type CapabilityRecord, fetching, readAttached } from './subscriptions.ts';
import type { Transport } from './transport.ts';

interface OrganizationRecord {
  readonly id: string;
  readonly name: string | undefined;
  readonly externalId: string | undefined;
  readonly ebsAccountId: string | undefined;
  readonly createdAt: string | undefined;
  /** Empty unless they were asked for. */
  readonly labels: readonly LabelRecord[];
  readonly capabilities: readonly CapabilityRecord[];
}

interface OrganizationQuery {
  readonly by?: Selection<'id' | 'external_id' | 'name'>;
  readonly fetchLabels?: boolean;
  readonly fetchCapabilities?: boolean;
}

interface AccountRecord {
  readonly id: string;
  readonly username: string;
  readonly email: string | undefined;
  readonly serviceAccount: boolean;
  readonly banned: boolean;
  /** Service accounts may have none. */
  readonly organizationId: string | undefined;
  readonly organizationName: string | undefined;
}

export interface OrganizationApi {
  listOrganizations(query: OrganizationQuery): Promise<OcmList<OrganizationRecord>>;
  /** Whose credentials these are. */
  currentAccount(): Promise<AccountRecord>;
}

const ORGANIZATION = {
  known: ['name', 'external_id'],
  shape: z
    .object({
      ...{ id: required, name: text, external_id: text, ebs_account_id: text, created_at: time },
      ...{ labels: rows, capabilities: rows },
    })
    .transform((row) => ({
      ...{ id: row.id, name: row.name, externalId: row.external_id, ebsAccountId: row.ebs_account_id },
      ...{ createdAt: row.created_at, labels: row.labels, capabilities: row.capabilities },
    })),
};

const ACCOUNT = {
  known: ['username'],
  shape: z
    .object({
      ...{ id: required, username: required, email: text, service_account: flag, banned: flag, organization_id: text },
      organization: z.object({ id: text, name: text }).nullish(),
    })
    .transform((row) => ({
      ...{ id: row.id, username: row.username, email: row.email, banned: row.banned },
      serviceAccount: row.service_account,
      organizationId: row.organization?.id ?? row.organization_id,
      organizationName: row.organization?.name,
    })),
};

export function organizationApi(transport: Transport): OrganizationApi {
  return {
    listOrganizations: async (query) => {
      const path = `${ACCOUNTS}/organizations`;
      const collection = { ...ORGANIZATION, path, name: 'organizations', query: fetching(query) };
      const found = await listRecords(transport, { ...collection, orderBy: 'orderBy' }, searches([], query.by));
      return readAttached(transport.nameOf({ method: 'GET', path }), found);
    },
    currentAccount: async () => {
      const request = { method: 'GET', path: `${ACCOUNTS}/current_account`, collection: 'current_account' } as const;
      return readRecord(transport.nameOf(request), ACCOUNT, await transport.send(request));
    },
  };
}
