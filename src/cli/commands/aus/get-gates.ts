import { textTable } from '../../../base/index.ts';
import type { ClosedGate } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { fitting } from '../../output/fitting.ts';
import { API_VERSION } from '../../output/format.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';
import type { AusFormat } from './aus-format.ts';
import { type AusFlags, openAus } from './login.ts';

export interface GetGatesFlags extends AusFlags {
  readonly output: AusFormat;
}

const TITLES = ['CLUSTER', 'VERSION', 'GATED VERSION', 'GATE', 'ID', 'DESCRIPTION', 'DOCUMENTATION'];

/** Lists version gates of clusters that lack an agreement. */
export async function getGates(io: Io, flags: GetGatesFlags): Promise<number> {
  const rows = await openAus(io, flags, { readOnly: true }).service.closedGates();
  await writerFor(WRITERS, flags.output, 'aus get gates')(io, rows, paintFor(io.stdout, io.env, flags.color));
  return EXIT.ok;
}

const WRITERS: Writers<readonly ClosedGate[], AusFormat> = {
  table: (io, rows, paint) => {
    const cells = rows.map(({ cluster, version, gate }) => [
      ...[cluster, version, gate.versionPrefix, gate.label, gate.id],
      ...[gate.description || '-', gate.documentationUrl || '-'],
    ]);
    if (rows.length === 0) io.stderr.write('no version gate needs an agreement\n');
    else io.stdout.write(textTable(TITLES, cells, paint, fitting(io)));
  },
  ...documentWriters((rows: readonly ClosedGate[]) => ({
    apiVersion: API_VERSION,
    kind: 'VersionGateList',
    items: rows.map(({ gate, ...row }) => ({
      ...{ ...row, gatedVersion: gate.versionPrefix, gate: gate.label, id: gate.id },
      ...{ description: gate.description, documentation: gate.documentationUrl },
    })),
  })),
};
