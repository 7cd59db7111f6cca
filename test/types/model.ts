// Compiled, never run: each `@ts-expect-error` is a proof that the line below it does not compile.
import { type Endpoint, type OpenEndpoint, type PartnerEndpointOf } from '../../src/model/endpoint.ts';
import { Secret } from '../../src/model/secret.ts';

/** The options of an endpoint are those of its method. */
export function optionsOf(endpoint: Endpoint): readonly unknown[] {
  switch (endpoint.authentication) {
    case 'key':
      return endpoint.options.keyNames;
    case 'hmac':
      return endpoint.options.algorithms;
    case 'parameter-signature':
      // @ts-expect-error an option of another method
      return [typeof endpoint.options.algorithms];
    case 'http-message-signature':
      return endpoint.options.coverAlso;
    case 'oauth2':
      // @ts-expect-error an option of another method
      return [typeof endpoint.options.keyNames];
    case 'jwt':
      return [endpoint.options.replayProtection];
    case 'certificate':
      // @ts-expect-error an option of another method
      return [typeof endpoint.options.hideCredentials];
    case null:
      // @ts-expect-error open endpoints hide no credentials
      return [typeof endpoint.options.hideCredentials];
  }
}

/** A method that is not handled leaves no value to return. */
// @ts-expect-error `oauth2` and open endpoints are not handled
export function forgetful(endpoint: Endpoint): string {
  switch (endpoint.authentication) {
    case 'key':
    case 'hmac':
    case 'parameter-signature':
      return endpoint.authentication;
  }
}

export function mixed(open: OpenEndpoint, key: PartnerEndpointOf<'key'>): readonly Endpoint[] {
  return [
    open,
    key,
    // @ts-expect-error an open endpoint has no access condition and no method
    { ...open, authentication: 'key' },
    // @ts-expect-error the options do not fit the method
    { ...key, authentication: 'hmac' },
  ];
}

// @ts-expect-error text is no secret
export const bare: Secret = 'hunter2';

// @ts-expect-error secrets are made by their own functions only
export const constructed = typeof new Secret(Buffer.from('hunter2'));
