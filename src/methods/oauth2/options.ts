import { flagField } from '../../document/fields.ts';
import type { MethodOptions } from '../method.ts';

export const oauth2Options: MethodOptions<'oauth2'> = {
  readers: { hideCredentials: flagField, tokenInQuery: flagField },
  defaults: { hideCredentials: true, tokenInQuery: false },
};
