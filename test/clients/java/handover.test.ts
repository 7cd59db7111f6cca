import { built, describeHandedOver } from '../../support/clients/handed-over.ts';

describeHandedOver('java', built('java', 'dist/postern-client-0.1.0.jar'));
