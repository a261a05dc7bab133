import {
  type ForecastChange,
  forecastCalendar,
  forecastDocument,
  forecastDrawing,
  forecastMarkdown,
  forecastText,
} from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import type { Paint } from '../../output/colour.ts';
import { fitting } from '../../output/fitting.ts';
import { API_VERSION } from '../../output/format.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';

export type ForecastFormat = 'table' | 'json' | 'yaml' | 'markdown' | 'ics' | 'svg';

export async function printForecast(
  io: Io,
  shown: ForecastChange,
  format: ForecastFormat,
  paint: Paint,
): Promise<void> {
  await writerFor(WRITERS, format, 'upgrades forecast')(io, shown, paint);
}

const WRITERS: Writers<ForecastChange, ForecastFormat> = {
  table: (io, shown, paint) => io.stdout.write(forecastText(shown, paint, fitting(io))),
  ...documentWriters((shown: ForecastChange) => ({
    ...{ apiVersion: API_VERSION, kind: 'UpgradeForecast' },
    ...forecastDocument(shown),
  })),
  markdown: (io, shown) => io.stdout.write(forecastMarkdown(shown)),
  ics: (io, { forecast }) => io.stdout.write(forecastCalendar(forecast)),
  svg: (io, { forecast }) => io.stdout.write(forecastDrawing(forecast)),
};
