import { plainRequest, type RowGroup } from '../row.ts';

/** Which endpoint a request belongs to (spec §2). */
export const routingRows: RowGroup = {
  title: 'Routing',
  rows: [
    {
      title: 'open endpoint, no credentials',
      expected: '200 as nobody',
      request: (moment) => plainRequest(moment, 'GET', '/status'),
      tryIt: 'an open endpoint',
    },
    {
      title: 'path that no endpoint has',
      expected: '404 ENDPOINT_NOT_FOUND',
      request: (moment) => plainRequest(moment, 'GET', '/orders-export'),
    },
    {
      title: 'path with dot segments',
      expected: '400 PATH_NOT_NORMAL',
      request: (moment) => plainRequest(moment, 'GET', '/status/../orders'),
    },
    {
      title: 'the same, encoded twice',
      expected: '400 PATH_NOT_NORMAL',
      request: (moment) => plainRequest(moment, 'GET', '/status/%252e%252e/orders'),
    },
  ],
};
