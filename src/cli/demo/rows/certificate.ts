import type { ClientHeader, ClientRequest } from '../../../check/signing/client-request.ts';
import type { Certified } from '../make-certificate.ts';
import { type Moment, plainRequest, type RowGroup } from '../row.ts';
import type { TlsWay } from '../send-over-tls.ts';

/** Client certificates, which Envoy verifies (spec §3.7). */
export const certificateRows: RowGroup = {
  title: 'Client certificates',
  rows: [
    {
      title: 'its certificate over HTTP/1.1',
      expected: '200 as cumulus',
      tls: ({ keys }) => showing(keys.certificates.partner, 'HTTP/1.1', keys),
      request: (moment) => call(moment),
    },
    {
      title: 'its certificate over HTTP/2',
      expected: '200 as cumulus',
      tls: ({ keys }) => showing(keys.certificates.partner, 'HTTP/2', keys),
      request: (moment) => call(moment),
    },
    {
      title: 'a certificate of somebody else',
      expected: '401 AUTHENTICATION_FAILED',
      tls: ({ keys }) => showing(keys.certificates.stranger, 'HTTP/2', keys),
      request: (moment) => call(moment),
    },
    {
      title: 'no certificate',
      expected: '401 CREDENTIALS_MISSING',
      tls: ({ keys }) => showing(null, 'HTTP/2', keys),
      request: (moment) => call(moment),
    },
    {
      title: 'its certificate in a header',
      expected: '401 CREDENTIALS_MISSING',
      tls: ({ keys }) => showing(null, 'HTTP/1.1', keys),
      request: (moment) => call(moment, [forgedHeader(moment)]),
    },
  ],
};

function call(moment: Moment, headers: readonly ClientHeader[] = []): ClientRequest {
  return { ...plainRequest(moment, 'GET', '/warehouse/7', headers), authority: moment.tlsAuthority };
}

function showing(
  certificate: Certified | null,
  protocol: TlsWay['protocol'],
  { certificates }: Moment['keys'],
): TlsWay {
  return { protocol, authority: certificates.authority.cert, certificate };
}

/** What Envoy itself would write of the partner's certificate, where it was told to. */
function forgedHeader({ keys }: Moment): ClientHeader {
  return ['x-forwarded-client-cert', `Cert="${encodeURIComponent(keys.certificates.partner.cert)}"`];
}
