import { taskCollectorApp } from '../src/app/function-apps.ts';
import { scheduledHandler } from '../src/lambda/scheduled-handler.ts';

const { run, options } = taskCollectorApp(process.env);

export const handler = scheduledHandler(run, options);
