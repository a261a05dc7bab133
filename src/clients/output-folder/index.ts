export { writeFolder } from './output-folder.ts';
