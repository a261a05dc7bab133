export { type ContainerOptions, containerCommand } from './container-command.ts';
export { type Command, type CommandEnd, type CommandResult, runCommand } from './run-command.ts';
