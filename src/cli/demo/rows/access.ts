import { demoKeys, headersFinding, plainRequest, type RowGroup } from '../row.ts';

/** The limit of the endpoint `reports`, in requests a minute. */
const LIMIT = 3;
const limitHeaders = ['ratelimit', 'ratelimit-policy'] as const;

/** Access condition and traffic control (spec §4.1, §4.2). */
export const accessRows: RowGroup = {
  title: 'Access and limits',
  rows: [
    {
      title: 'right key, but no grant',
      expected: '403 NOT_AUTHORIZED',
      request: (moment) => plainRequest(moment, 'GET', `/orders?appKey=${demoKeys.borealis}`),
      tryIt: 'a right key of a partner without a grant',
    },
    {
      title: `within the limit of ${String(LIMIT)} a minute`,
      expected: '200 as acme',
      request: (moment) => plainRequest(moment, 'GET', `/reports?appKey=${demoKeys.acme}`),
      examine: (exchange) => headersFinding(exchange, limitHeaders),
    },
    {
      title: `over the limit of ${String(LIMIT)} a minute`,
      expected: '429 RATE_LIMITED',
      request: (moment) => plainRequest(moment, 'GET', `/reports?appKey=${demoKeys.acme}`),
      // A minute may end in between, and then twice the limit passes.
      maxTries: 2 * LIMIT + 1,
      examine: (exchange) => headersFinding(exchange, ['retry-after', ...limitHeaders]),
      tryIt: `more than ${String(LIMIT)} of these in a minute are too many`,
    },
  ],
};
