import { podResyncApp } from '../src/app/function-apps.ts';
import { scheduledHandler } from '../src/lambda/scheduled-handler.ts';

const { run, options } = podResyncApp(process.env);

export const handler = scheduledHandler(run, options);
