import { built, describeHandedOver } from '../../support/clients/handed-over.ts';

describeHandedOver('javascript', built('javascript', 'dist/postern-client-0.1.0.tgz'));
