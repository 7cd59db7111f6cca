import { protocols } from '../../support/http/http-client.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - id: orders
    scenario: partner-openapi
    match: { paths: [{ prefix: /orders }] }
    authentication: key
consumers:
  - id: near
    allowFrom: [127.0.0.0/8]
    credentials:
      - { id: near-key, method: key, appKey: key-of-near }
      - { id: far-key, method: key, appKey: key-of-far, allowFrom: [203.0.113.0/24] }
`;

describe('address lists behind Envoy', () => {
  const { sendAllowed, sendRefused } = useStack(document);
  const own = ['X-Envoy-External-Address', '203.0.113.7'] as const;

  for (const protocol of protocols) {
    it(`go by the address that Envoy saw, over ${protocol}, and by nothing that the caller says of it`, async () => {
      const near = { target: '/orders', headers: [['X-App-Key', 'key-of-near'], own] } as const;
      await sendAllowed(protocol, near);
      const far = { target: '/orders', headers: [['X-App-Key', 'key-of-far'], own] } as const;
      await sendRefused(protocol, far, 'ADDRESS_NOT_ALLOWED');
      const stranger = { target: '/orders', headers: [['X-App-Key', 'key-of-nobody'], own] } as const;
      await sendRefused(protocol, stranger, 'AUTHENTICATION_FAILED');
    });
  }
});
