import { built, describeHandedOver } from '../../support/clients/handed-over.ts';

describeHandedOver('python', built('python', 'dist/postern_client-0.1.0-py3-none-any.whl'));
