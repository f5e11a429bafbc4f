import { describeProvider } from './provider-contract.ts';
import { webWorld } from './web-world.ts';

describeProvider('web, with the example server', webWorld, { startsUnasked: true });
