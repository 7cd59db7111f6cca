import { testPrograms } from '../../cases/programs.ts';

testPrograms('java');
