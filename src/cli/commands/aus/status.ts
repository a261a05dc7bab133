import { textTable } from '../../../base/index.ts';
import { clusterTable, type OrganizationStatus, sectorTable, statusFacts } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { fitting } from '../../output/fitting.ts';
import { API_VERSION } from '../../output/format.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';
import type { AusFormat } from './aus-format.ts';
import { type AusFlags, openAus } from './login.ts';

export interface StatusFlags extends AusFlags {
  readonly output: AusFormat;
  readonly showAllClusters?: boolean;
}

/** Shows the whole configuration of an organization: blocks, inheritance, sectors, and clusters with their policies. */
export async function status(io: Io, flags: StatusFlags): Promise<number> {
  const { service, url } = openAus(io, flags, { readOnly: true });
  const { orgId, name, ...configured } = await service.status(flags.showAllClusters === true);
  const all = { orgId, name, environment: url, ...configured };
  await writerFor(WRITERS, flags.output, 'aus status')(io, all, paintFor(io.stdout, io.env, flags.color));
  return EXIT.ok;
}

const WRITERS: Writers<OrganizationStatus, AusFormat> = {
  table: (io, all, paint) => {
    for (const [title, value] of statusFacts(all)) io.stdout.write(line(`${title.padEnd(20)}${value}`));
    const tables = { Sectors: sectorTable(all), Clusters: clusterTable(all) };
    for (const [name, { titles, rows }] of Object.entries(tables)) {
      io.stdout.write(`\n${name}: ${rows.length}\n`);
      if (rows.length > 0) io.stdout.write(textTable(titles, rows, paint, fitting(io)));
    }
  },
  ...documentWriters((all: OrganizationStatus) => ({ apiVersion: API_VERSION, kind: 'UpgradeStatus', ...all })),
};
