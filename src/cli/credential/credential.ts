import type { RegisterVerbs } from '../command-context.ts';
import { registerCredentialImport } from './import.ts';
import { registerCredentialIssue } from './issue.ts';
import { registerCredentialList } from './list.ts';
import { registerCredentialRevoke } from './revoke.ts';
import { registerCredentialRotate } from './rotate.ts';
import { registerCredentialShow } from './show.ts';

/** The verbs of `postern credential`. */
export const registerCredentialVerbs: RegisterVerbs = (noun, context) => {
  registerCredentialIssue(noun, context);
  registerCredentialList(noun, context);
  registerCredentialShow(noun, context);
  registerCredentialRotate(noun, context);
  registerCredentialRevoke(noun, context);
  registerCredentialImport(noun, context);
};
