import type { RegisterVerbs } from '../command-context.ts';
import { registerEndpointCreate } from './create.ts';
import { registerEndpointDelete } from './delete.ts';
import { registerEndpointEdit } from './edit.ts';
import { registerEndpointEnable } from './enable.ts';
import { registerEndpointList } from './list.ts';
import { registerEndpointShow } from './show.ts';

/** The verbs of `postern endpoint`. */
export const registerEndpointVerbs: RegisterVerbs = (noun, context) => {
  registerEndpointCreate(noun, context);
  registerEndpointEdit(noun, context);
  registerEndpointList(noun, context);
  registerEndpointShow(noun, context);
  registerEndpointEnable(noun, context);
  registerEndpointDelete(noun, context);
};
