export { containerCommand } from './container-command.ts';
export { type Command, runCommand } from './run-command.ts';
