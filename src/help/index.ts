export { COMMAND_EXAMPLES, COMMAND_EXITS, OPTION_GROUPS } from './command-texts.ts';
