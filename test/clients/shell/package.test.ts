import assert from 'node:assert/strict';
import { type ClientGateway, startClientGateway } from '../../support/clients/client-gateway.ts';
import { release } from '../../support/lifetime/release.ts';
import { packageCases } from '../cases/package.ts';

describe('postern-curl', () => {
  let gateway: ClientGateway | undefined;
  before(async () => {
    gateway = await startClientGateway(1);
  });
  after(() => release(gateway));
  beforeEach(() => gateway?.backend.reset());

  packageCases({ folder: 'shell', hasPrivateKeys: true }, () => {
    const [partner] = gateway?.partners ?? [];
    assert.ok(gateway !== undefined && partner !== undefined);
    return { gateway, partner };
  });
});
