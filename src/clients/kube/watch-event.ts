import { isJson } from '../../base/index.ts';

/** What a line of a watch means to the list that it follows. */
export type WatchEvent =
  /** Nothing changed up to this version. */
  | { readonly is: 'bookmark'; readonly version: string }
  /** An object came, went or changed. */
  | { readonly is: 'change' }
  /** Only the status of an object changed. */
  | { readonly is: 'status' }
  /** The server cannot go on from where it was asked to, or this is no watch. */
  | { readonly is: 'fault' };

const CHANGES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED']);

export function watchEvent(line: string): WatchEvent {
  const { type, object } = parsed(line);
  const metadata = isJson(object) && isJson(object['metadata']) ? object['metadata'] : {};
  if (type === 'BOOKMARK') {
    const version = metadata['resourceVersion'];
    return typeof version === 'string' && version !== '' ? { is: 'bookmark', version } : { is: 'fault' };
  }
  if (!CHANGES.has(type)) return { is: 'fault' };
  return { is: type === 'MODIFIED' && isStatusWrite(metadata['managedFields']) ? 'status' : 'change' };
}

/** Whether the latest writes were all to the status; times are in seconds, so one of them may hide another. */
function isStatusWrite(managers: unknown): boolean {
  const entries = Array.isArray(managers) ? managers.filter(isJson) : [];
  const times = entries.map(({ time }) => String(time ?? ''));
  const latest = times.reduce((last, time) => (time > last ? time : last), '');
  return latest !== '' && entries.every((entry, at) => times[at] !== latest || entry['subresource'] === 'status');
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return isJson(value) ? value : {};
  } catch {
    return {};
  }
}
