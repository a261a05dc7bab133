import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Preloaded into a command: kills it with SIGKILL after as many files below the working folder were replaced as KILL_AFTER says. */
const after = Number(process.env['KILL_AFTER']);
const { renameSync } = fs;
let replaced = 0;
const inFolder = (path: fs.PathLike): boolean =>
  String(path).startsWith(process.cwd()) && !/[/]\.git[/]/.test(String(path));

const renameOrDie = (from: fs.PathLike, to: fs.PathLike): void => {
  if (inFolder(to) && replaced === after) process.kill(process.pid, 'SIGKILL');
  renameSync(from, to);
  if (inFolder(to)) replaced += 1;
};
fs.renameSync = renameOrDie;
syncBuiltinESMExports();
