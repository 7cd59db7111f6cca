import type { RegisterVerbs } from '../command-context.ts';
import { registerAuditList } from './list.ts';

/** The verbs of `postern audit`. */
export const registerAuditVerbs: RegisterVerbs = (noun, context) => {
  registerAuditList(noun, context);
};
