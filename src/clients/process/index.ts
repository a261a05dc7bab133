export { type Command, containerCommand, runCommand, streamCommand } from './commands.ts';
export { collectEarly, freePort, isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';
export { type ProcessResult, runProcess } from './run-process.ts';
