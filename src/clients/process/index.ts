export { type Command, containerCommand, runCommand, streamCommand } from './commands.ts';
export {
  collectEarly,
  freePort,
  identityText,
  isRunning,
  ownIdentity,
  type ProcessIdentity,
  parseIdentity,
} from './process-identity.ts';
export { type ProcessResult, runProcess } from './run-process.ts';
