import { describe, expect, it } from 'vitest';
import { EchelonError } from '../base/index.ts';
import { type LeaseRequest, leaseAccess } from './lease-access.ts';
import type { Logger } from './logger.ts';

const FORBIDDEN = new EchelonError({ code: 'KUBE_FORBIDDEN', message: 'pod: GET /leases:\n403 no', hint: 'grant it' });

function observed() {
  const log: string[] = [];
  const reports: string[] = [];
  const note = (message: string): void => void log.push(message);
  const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  const access = leaseAccess(logger, (request, outcome, problem) =>
    reports.push(`${request} ${outcome}: ${problem ?? 'none'}`),
  );
  return { access, log, reports };
}

describe('access to a lease', () => {
  it.each<{ given: string; requests: [LeaseRequest, unknown?][]; problem: string; mayWrite: boolean | undefined }>([
    { given: 'it is read', requests: [['read']], problem: 'none', mayWrite: undefined },
    { given: 'it is written', requests: [['read'], ['write']], problem: 'none', mayWrite: true },
    {
      given: 'it cannot be read',
      requests: [['read', FORBIDDEN]],
      ...{ problem: 'pod: GET /leases: 403 no; grant it', mayWrite: undefined },
    },
    { given: 'it can be read again', requests: [['read', 'late'], ['read']], problem: 'none', mayWrite: undefined },
    { given: 'it can only be read', requests: [['read'], ['write', 'no'], ['read']], problem: 'no', mayWrite: false },
    {
      given: 'it cannot be written, and then not be read either',
      requests: [
        ['write', 'no'],
        ['read', 'late'],
      ],
      ...{ problem: 'no', mayWrite: false },
    },
    { given: 'it can be written again', requests: [['write', 'no'], ['write']], problem: 'none', mayWrite: true },
    {
      given: 'nothing responds',
      requests: [
        ['read', 'a'],
        ['write', 'b'],
      ],
      problem: 'b',
      mayWrite: false,
    },
  ])('when $given: $problem', ({ requests, problem, mayWrite }) => {
    const { access, reports } = observed();
    for (const [request, why] of requests) {
      if (why === undefined) access.succeeded(request);
      else access.failed(request, why);
    }
    expect([reports.at(-1)?.split(': ').slice(1).join(': '), access.mayWrite()]).toEqual([problem, mayWrite]);
    expect(reports).toHaveLength(requests.length);
  });

  it('is logged when it is lost and when it is back, not in between', () => {
    const { access, log } = observed();
    for (let round = 0; round < 3; round += 1) access.failed('read', 'late');
    access.succeeded('read');
    access.succeeded('write');
    expect(log).toEqual(['cannot read or write lease', 'lease access restored']);
  });
});
