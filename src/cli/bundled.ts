import { main } from './main.ts';

// Where there is one Node and one bundle: what svk.mjs does with a checkout.
await main(process.argv);
