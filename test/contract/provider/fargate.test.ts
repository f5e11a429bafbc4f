import { fargateWorld } from './fargate-world.ts';
import { describeProvider } from './provider-contract.ts';

describeProvider('fargate, on the emulator', fargateWorld);
