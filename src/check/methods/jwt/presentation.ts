import type { JwtOptions } from '../../../model/endpoint.ts';
import { describeSent, requestTo } from '../presentation/example-request.ts';
import type { Guide, Rule } from '../presentation/guide.ts';
import type { Presentation } from '../presentation/presentation.ts';

const TOKEN = 'TOKEN';

const guide: Guide<'jwt'> = {
  title: 'Token of your issuer',
  summary: 'Every request carries a token of the issuer that was agreed with you, as `Authorization: Bearer …`.',
  rules: (options: JwtOptions): readonly Rule[] => [
    ['Token', 'a signed JWT in the header `Authorization`, after the word `Bearer` and a blank'],
    ['Life of a token', 'use it until shortly before its `exp`, and get another then'],
    ...(options.replayProtection
      ? [['`jti`', 'every token has one, and works once; its `exp` is an hour ahead at most'] as const]
      : []),
  ],
  codes: ({ options }) => ({
    CREDENTIALS_MISSING: 'There is no `Authorization: Bearer …`.',
    CREDENTIALS_MALFORMED: '`Authorization` appears twice, or does not hold one token.',
    TOKEN_INVALID:
      'The token has expired, is not of the agreed issuer, audience and claims, or its signature is not right. Get a new one, and try once more.',
    ...(options.replayProtection
      ? { REQUEST_REPLAYED: 'The token was used before. Get a new one for every attempt.' }
      : {}),
  }),
  settings: () => ({}),
  examples: (_endpoint, target) => [
    {
      title: 'Call with the token',
      unsigned: '',
      stringToSign: null,
      signature: null,
      sent: describeSent({
        ...requestTo(target, { method: target.reading }),
        headers: [['Authorization', `Bearer ${TOKEN}`]],
      }),
    },
  ],
  exampleNote: `\`${TOKEN}\` stands for a token of your issuer. Nothing else is signed.`,
};

/** How people and programs of partners speak of this method. */
export const jwtPresentation: Presentation<'jwt'> = {
  name: 'Token of an issuer',
  sends: 'tokens that an outside issuer signed',
  client: null,
  guide,
};
