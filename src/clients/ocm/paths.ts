import { shortened } from '../../base/index.ts';
import { OcmError } from './ocm-error.ts';

export const ACCOUNTS = '/api/accounts_mgmt/v1';
export const CLUSTERS = '/api/clusters_mgmt/v1';
export const SERVICE_LOGS = '/api/service_logs/v1';

const LONGEST_ID = 255;

/** An id as one segment of a path; `..` or a slash would make it another path. */
export function segment(id: string): string {
  if (id !== '' && id !== '.' && id !== '..' && id.length <= LONGEST_ID) return encodeURIComponent(id);
  throw new OcmError({
    code: 'OCM_ID_INVALID',
    message: `"${shortened(id)}" is not a valid OCM id or label key`,
    hint: 'correct the id',
  });
}
