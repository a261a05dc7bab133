import { type ClusterExplanation, explanationMarkdown, explanationPage } from '../../../upgrades/index.ts';
import { fitting } from '../../output/fitting.ts';
import { API_VERSION } from '../../output/format.ts';
import { documentWriters, type Writer, type Writers } from '../../output/writers.ts';

const printText =
  (format: 'table' | 'wide'): Writer<readonly ClusterExplanation[]> =>
  (io, found, paint) =>
    io.stdout.write(found.map((each) => explanationPage(each, paint, fitting(io, format))).join('\n'));

export const EXPLANATION_WRITERS: Writers<readonly ClusterExplanation[]> = {
  table: printText('table'),
  wide: printText('wide'),
  ...documentWriters((clusters: readonly ClusterExplanation[]) => ({
    apiVersion: API_VERSION,
    kind: 'UpgradeExplanation',
    clusters,
  })),
  name: undefined,
  markdown: (io, found) => io.stdout.write(found.map(explanationMarkdown).join('\n')),
};
