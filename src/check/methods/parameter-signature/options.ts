import { choiceField, flagField } from '../../../model/document/fields.ts';
import { parameterEncodings } from '../../../model/endpoint.ts';
import type { MethodOptions } from '../method.ts';
import { signatureDefaults, signatureFields } from '../signed-request.ts';

export const parameterSignatureOptions: MethodOptions<'parameter-signature'> = {
  readers: {
    hideCredentials: flagField,
    requireTimestamp: flagField,
    parameterEncoding: choiceField(parameterEncodings),
    strictParameters: flagField,
    unsignedQuery: choiceField(['refuse', 'forward']),
    unsignedBody: choiceField(['refuse', 'forward']),
    ...signatureFields,
  },
  defaults: {
    ...signatureDefaults,
    hideCredentials: false,
    requireTimestamp: false,
    parameterEncoding: 'decoded',
    strictParameters: true,
    unsignedQuery: 'refuse',
    unsignedBody: 'refuse',
  },
  findConflict: ({ replayProtection, requireTimestamp }) =>
    replayProtection === true && requireTimestamp !== true
      ? {
          option: 'replayProtection',
          message:
            '"replayProtection" needs "requireTimestamp: true" on a parameter-signature endpoint: without a signed time a request could be repeated later',
        }
      : null,
};
