import { built, describeHandedOver } from '../../support/clients/handed-over.ts';

const version = 'dist/proxy/github.com/postern-gateway/postern/clients/go/@v/v0.1.0.zip';
describeHandedOver('go', built('go', version));
