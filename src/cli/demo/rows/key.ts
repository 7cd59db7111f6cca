import { demoKeys, plainRequest, receivedFinding, type RowGroup } from '../row.ts';

/** Key authentication (spec §3.1). */
export const keyRows: RowGroup = {
  title: 'App Key',
  rows: [
    {
      title: 'right key in the query',
      expected: '200 as acme',
      request: (moment) => plainRequest(moment, 'GET', `/orders?appKey=${demoKeys.acme}&x=a%2Fb&&y`),
      examine: ({ echo }) => receivedFinding('GET', echo?.path ?? 'nothing', '/orders?x=a%2Fb&&y'),
      tryIt: 'the back end sees who calls, and no key',
    },
    {
      title: 'right key in a header',
      expected: '200 as acme',
      request: (moment) => plainRequest(moment, 'GET', '/orders', [['X-App-Key', demoKeys.acme]]),
      examine: ({ echo }) => ({
        notes: [],
        fault: echo?.headers['x-app-key'] === undefined ? null : 'the App Key reached the back end',
      }),
      tryIt: 'the same by header',
    },
    {
      title: 'no key',
      expected: '401 CREDENTIALS_MISSING',
      request: (moment) => plainRequest(moment, 'GET', '/orders'),
    },
    {
      title: 'the same key twice',
      expected: '401 CREDENTIALS_MALFORMED',
      request: (moment) => plainRequest(moment, 'GET', `/orders?appKey=${demoKeys.acme}&appKey=${demoKeys.acme}`),
    },
    {
      title: 'wrong key',
      expected: '401 AUTHENTICATION_FAILED',
      request: (moment) => plainRequest(moment, 'GET', '/orders?appKey=wrong-key'),
      tryIt: 'a wrong key',
    },
    {
      title: 'revoked key',
      expected: '401 AUTHENTICATION_FAILED',
      request: (moment) => plainRequest(moment, 'GET', `/orders?appKey=${demoKeys.acmeRevoked}`),
    },
  ],
};
