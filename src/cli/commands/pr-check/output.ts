import { type CheckReport, checkMarkdown, checkText, verdictOf } from '../../../promotion/index.ts';
import { penFor } from '../../output/fitting.ts';
import { API_VERSION } from '../../output/format.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writers } from '../../output/writers.ts';

export const CHECK_WRITERS: Writers<CheckReport> = {
  table: (io, report, paint) => io.stdout.write(checkText(report, penFor(io, paint, 'table'), false)),
  wide: (io, report, paint) => io.stdout.write(checkText(report, penFor(io, paint, 'wide'), true)),
  ...documentWriters((report: CheckReport) => {
    const { ok, failures } = verdictOf(report);
    return { apiVersion: API_VERSION, kind: 'PrCheck', ok, failures, ...report };
  }),
  name: (io, report) => {
    const names = report.integrations.filter(({ selected }) => selected).map(({ integration }) => integration);
    io.stdout.write(names.map((name) => line(`integration/${name}`)).join(''));
  },
  markdown: (io, report) => io.stdout.write(checkMarkdown(report)),
};
