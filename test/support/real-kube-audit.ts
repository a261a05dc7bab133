import { closeSync, existsSync, openSync, readSync } from 'node:fs';

/** A request that the server has answered. */
export interface AuditEvent {
  readonly verb: string;
  readonly user: string;
  /** `deployments`, or nothing for a path like `/readyz`. */
  readonly resource: string | undefined;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** The status of the answer. */
  readonly code: number | undefined;
  readonly dryRun?: true;
  readonly requestURI: string;
  /** When the server got the request and when it had answered; texts that sort by time. */
  readonly received: string;
  readonly answered: string;
}

export interface AuditLog {
  /** Every request answered so far, in the order of their ends. */
  events(): readonly AuditEvent[];
}

interface AuditLine {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly objectRef?: Partial<Record<'resource' | 'subresource' | 'namespace' | 'name', string>>;
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/** Reads on where it stopped the last time; a line that is not finished waits for the next time. */
export function auditLog(file: string): AuditLog {
  const events: AuditEvent[] = [];
  let offset = 0;

  function readOn(): void {
    if (!existsSync(file)) return;
    const log = openSync(file, 'r');
    try {
      for (let lines = wholeLines(log, offset); lines.length > 0; lines = wholeLines(log, offset)) {
        offset += lines.length;
        for (const line of lines.toString('utf8').trimEnd().split('\n')) addEvent(events, JSON.parse(line));
      }
    } finally {
      closeSync(log);
    }
  }

  return {
    events() {
      readOn();
      return events;
    },
  };
}

function wholeLines(log: number, offset: number, bytes = CHUNK_BYTES): Buffer {
  const chunk = Buffer.alloc(bytes);
  const length = readSync(log, chunk, 0, bytes, offset);
  const end = chunk.lastIndexOf(NEWLINE, length - 1) + 1;
  if (length === 0) return chunk.subarray(0, 0);
  return end === 0 && length === bytes ? wholeLines(log, offset, bytes * 2) : chunk.subarray(0, end);
}

function addEvent(events: AuditEvent[], line: AuditLine): void {
  if (line.stage !== 'ResponseComplete') return;
  const { verb, requestURI, user, objectRef, responseStatus } = line;
  events.push({
    ...{ verb, user: user.username, resource: objectRef?.resource, subresource: objectRef?.subresource },
    ...{ namespace: objectRef?.namespace, name: objectRef?.name, code: responseStatus?.code },
    ...(new URL(requestURI, 'https://localhost').searchParams.has('dryRun') ? { dryRun: true } : {}),
    ...{ requestURI, received: line.requestReceivedTimestamp, answered: line.stageTimestamp },
  });
}
