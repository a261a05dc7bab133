export { containerCommand } from './container-command.ts';
export type { Command } from './program.ts';
export { runCommand } from './run-command.ts';
export { streamCommand } from './stream-command.ts';
