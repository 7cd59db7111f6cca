import { describeSent, requestTo } from '../presentation/example-request.ts';
import type { Guide } from '../presentation/guide.ts';
import type { Presentation } from '../presentation/presentation.ts';

const guide: Guide<'certificate'> = {
  title: 'Client certificate',
  summary: 'Every connection is made with your client certificate (mutual TLS). Requests carry nothing besides.',
  rules: () => [
    ['Certificate', 'the one that was agreed with you, with its private key, in the TLS settings of your program'],
    ['Private key', 'stays with you: nobody asks you for it'],
    ['End', 'a certificate that has ended is refused: agree on the next one before'],
  ],
  codes: () => ({
    CREDENTIALS_MISSING: 'The connection was made without a client certificate.',
    AUTHENTICATION_FAILED: 'The certificate is not known, has expired, or its credential was revoked.',
  }),
  settings: () => ({}),
  examples: (_endpoint, target) => [
    {
      title: 'Call over a connection with your certificate',
      unsigned: '',
      stringToSign: null,
      signature: null,
      sent: describeSent(requestTo(target, { method: target.reading })),
    },
  ],
  exampleNote: 'The request is as any other: the certificate belongs to the connection. Nothing is signed.',
};

/** How people and programs of partners speak of this method. */
export const certificatePresentation: Presentation<'certificate'> = {
  name: 'Client certificate',
  sends: 'the connection is made with a client certificate',
  client: null,
  guide,
};
