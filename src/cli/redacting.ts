import { defined, Secrets } from '../base/index.ts';
import type { Io, Output } from './io.ts';

/** From the first secret on, all output passes through a filter; until then it costs nothing. */
export function redacting(io: Io): Io {
  const secrets = new Secrets();
  let some = false;
  const output = (to: Output): Output => ({
    get isTTY() {
      return to.isTTY;
    },
    ...defined({ columns: to.columns }),
    write: (text) => to.write(some ? secrets.redact(text) : text),
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
