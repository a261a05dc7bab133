/** Gauges and counters of the process that runs a job, such as those of a metrics library. */
export interface UpgradeMetricsPort {
  gauge<Name extends string>(
    name: string,
    help: string,
    labels: readonly Name[],
  ): {
    replace(series: Iterable<{ readonly labels: Readonly<Record<Name, string>>; readonly value: number }>): void;
  };
  counter<Name extends string>(name: string, help: string, labels: readonly Name[]): UpgradeCounter<Name>;
}

export interface UpgradeCounter<Name extends string> {
  inc(labels: Readonly<Record<Name, string>>, by?: number): void;
}

/** The log of the process: a static message, and fields. */
export type UpgradeLogPort = Readonly<
  Record<'info' | 'warn' | 'error', (message: string, fields: Readonly<Record<string, unknown>>) => void>
>;
