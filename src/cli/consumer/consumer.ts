import type { RegisterVerbs } from '../command-context.ts';
import { registerConsumerCreate } from './create.ts';
import { registerConsumerDelete } from './delete.ts';
import { registerConsumerEdit } from './edit.ts';
import { registerConsumerEnable } from './enable.ts';
import { registerConsumerList } from './list.ts';
import { registerConsumerShow } from './show.ts';

/** The verbs of `postern consumer`. */
export const registerConsumerVerbs: RegisterVerbs = (noun, context) => {
  registerConsumerCreate(noun, context);
  registerConsumerEdit(noun, context);
  registerConsumerList(noun, context);
  registerConsumerShow(noun, context);
  registerConsumerEnable(noun, context);
  registerConsumerDelete(noun, context);
};
