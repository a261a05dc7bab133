/** Facts of one event; mappings, lists, dates and errors are shown as data. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The message never changes from event to event; what does is in the fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log; every event has these fields too. */
  child(fields: LogFields): Logger;
}

/** For those who do not want to know. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
