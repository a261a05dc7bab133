/** The fields of one event; objects, lists, dates and errors are written as data. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The message is a constant phrase; what varies goes into the fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A child logger: every event also has these fields. */
  child(fields: LogFields): Logger;
}

/** Discards all events. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
