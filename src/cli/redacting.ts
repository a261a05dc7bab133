import { Secrets } from '../base/index.ts';
import type { Io, Output } from './io.ts';
import { shownText } from './output/terminal.ts';

/** All output passes here: known secrets are removed, and what would steer the terminal is escaped. */
export function redacting(io: Io): Io {
  const secrets = new Secrets();
  let some = false;
  const output = (to: Output): Output => ({
    get isTTY() {
      return to.isTTY;
    },
    get columns() {
      return to.columns;
    },
    get rows() {
      return to.rows;
    },
    on: (event, listener) => to.on?.(event, listener),
    off: (event, listener) => to.off?.(event, listener),
    write: (text) => to.write(shownText(some ? secrets.redact(text) : text)),
  });
  return {
    ...io,
    stdout: output(io.stdout),
    stderr: output(io.stderr),
    onSecret: (secret) => {
      some = secrets.add(secret) || some;
      io.onSecret?.(secret);
    },
  };
}
