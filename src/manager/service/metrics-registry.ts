type SeriesLabels<Name extends string> = Readonly<Record<Name, string>>;
export type Series<Name extends string> = { readonly labels: SeriesLabels<Name>; readonly value: number };

/** Where metrics are declared; a gauge's series are replaced as a whole, so that stale ones disappear. */
export interface MetricsRegistry {
  gauge<Name extends string>(
    name: string,
    help: string,
    labels: readonly Name[],
  ): { replace(series: Iterable<Series<Name>>): void };
  counter<Name extends string>(
    name: string,
    help: string,
    labels: readonly Name[],
  ): { inc(labels: SeriesLabels<Name>, by?: number): void };
}
