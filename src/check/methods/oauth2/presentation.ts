import { oauth2Paths } from './oauth2-paths.ts';
import { EXAMPLE_SECRET } from '../presentation/example-values.ts';
import { describeSent, requestTo } from '../presentation/example-request.ts';
import type { Example, Guide, Rule, Target } from '../presentation/guide.ts';
import type { Presentation } from '../presentation/presentation.ts';

const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'grant_type=client_credentials';
const ACCESS_TOKEN = 'ACCESS-TOKEN';

const guide: Guide<'oauth2'> = {
  title: 'OAuth2 client credentials',
  summary:
    'Trade App Key and App Secret for an access token, and send that with every request as `Authorization: Bearer …`.',
  rules: ({ tokenInQuery }) => [
    ['Token address', `\`POST ${oauth2Paths.token}\` on the same host`],
    ['`client_id`', 'your App Key'],
    ['`client_secret`', 'your App Secret'],
    ['Refusals there', '`error` and `error_description`; `invalid_client` means that App Key or App Secret is wrong'],
    ...tokenRules(tokenInQuery),
  ],
  ofPublicKey: {
    summary:
      'Trade an assertion, signed with your private key, for an access token, and send that with every request as `Authorization: Bearer …`.',
    rules: ({ tokenInQuery }) => [
      ['Token address', `\`POST ${oauth2Paths.token}\` on the same host`],
      ['`client_assertion_type`', '`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`'],
      ['`client_assertion`', 'a JWT (`private_key_jwt`, RFC 7523); no `client_secret` beside it'],
      ['`iss` and `sub`', 'your App Key'],
      ['`aud`', 'the token address, or our issuer'],
      ['`exp` and `jti`', '`exp` at most an hour ahead; another `jti` each time, as each assertion works once'],
      ['Refusals there', '`error` and `error_description`; `invalid_client` means that App Key or key is wrong'],
      ...tokenRules(tokenInQuery),
    ],
    exampleNote: 'Any library for OAuth2 that knows `private_key_jwt` makes such assertions.',
    client: {
      method: 'private-key-jwt',
      type: 'PrivateKeyJwt',
      pythonType: 'PrivateKeyJwt',
      goType: 'PrivateKeyJWT',
      factory: 'privateKeyJwt',
      shellOptions: [],
    },
  },
  codes: ({ options }) => ({
    CREDENTIALS_MISSING: 'There is no `Authorization: Bearer …`.',
    CREDENTIALS_MALFORMED: `\`Authorization\` ${
      options.tokenInQuery ? 'or `access_token` ' : ''
    }appears twice, or does not hold one token.`,
    TOKEN_INVALID: 'The token has expired, was revoked or is not valid. Get a new one, and try once more.',
  }),
  settings: () => ({ tokenPath: oauth2Paths.token }),
  examples: (_endpoint, target, appKey) => [
    basicExample(target, appKey),
    bodyExample(target, appKey),
    callExample(target),
  ],
  exampleNote: `The App Secret \`${EXAMPLE_SECRET}\` is public and not yours. The answer to the first two is \`{"access_token":"…","token_type":"bearer","expires_in":3600}\`; \`${ACCESS_TOKEN}\` stands for the token. Nothing is signed.`,
};

/** How people and programs of partners speak of this method. */
export const oauth2Presentation: Presentation<'oauth2'> = {
  name: 'OAuth 2.0 access token',
  sends: 'access tokens (client credentials)',
  client: {
    method: 'oauth2',
    type: 'OAuth2',
    pythonType: 'OAuth2',
    goType: 'OAuth2',
    factory: 'oauth2',
    shellOptions: [],
  },
  guide,
};

function tokenRules(tokenInQuery: boolean): readonly Rule[] {
  return [
    ['Life of a token', '`expires_in` seconds: use it until shortly before, and do not ask for one for each request'],
    ['Token', `the header \`Authorization\`${tokenInQuery ? ', or the query parameter `access_token`' : ''}`],
  ];
}

function basicExample(target: Target, appKey: string): Example {
  const pair = [appKey, EXAMPLE_SECRET].map(encodeURIComponent).join(':');
  const request = requestTo(tokenTarget(target), { method: 'POST', type: FORM, body: GRANT });
  const basic = `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
  return unsigned(
    'Ask for a token, App Key and App Secret in the header',
    describeSent({ ...request, headers: [...request.headers, ['Authorization', basic]] }),
  );
}

function bodyExample(target: Target, appKey: string): Example {
  const body = `${GRANT}&client_id=${appKey}&client_secret=${EXAMPLE_SECRET}`;
  return unsigned(
    'Ask for a token, App Key and App Secret in the body',
    describeSent(requestTo(tokenTarget(target), { method: 'POST', type: FORM, body })),
  );
}

function callExample(target: Target): Example {
  const request = requestTo(target, { method: target.reading });
  return unsigned(
    'Call with the token',
    describeSent({ ...request, headers: [['Authorization', `Bearer ${ACCESS_TOKEN}`]] }),
  );
}

function unsigned(title: string, sent: string): Example {
  return { title, unsigned: '', stringToSign: null, signature: null, sent };
}

function tokenTarget(target: Target): Target {
  return { ...target, path: oauth2Paths.token };
}
