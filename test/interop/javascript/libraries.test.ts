import { testPrograms } from '../cases/programs.ts';
import { particulars } from './particulars.ts';

testPrograms('javascript', particulars);
