import { isJson } from '../../base/index.ts';

/**
 * What a line of a watch means to the list that it follows: an object came, went or changed; only the status of one changed; or the
 * server cannot go on from where it was asked to, or this is no watch.
 */
export type WatchEvent = 'change' | 'status' | 'fault';

const CHANGES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED']);

export function watchEvent(line: string): WatchEvent {
  const { type, object } = parsed(line);
  if (!CHANGES.has(type)) return 'fault';
  const metadata = isJson(object) && isJson(object['metadata']) ? object['metadata'] : {};
  return type === 'MODIFIED' && isStatusWrite(metadata['managedFields']) ? 'status' : 'change';
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
