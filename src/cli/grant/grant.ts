import type { RegisterVerbs } from '../command-context.ts';
import { registerGrantAdd } from './add.ts';
import { registerGrantList } from './list.ts';
import { registerGrantRemove } from './remove.ts';

/** The verbs of `postern grant`. */
export const registerGrantVerbs: RegisterVerbs = (noun, context) => {
  registerGrantAdd(noun, context);
  registerGrantRemove(noun, context);
  registerGrantList(noun, context);
};
