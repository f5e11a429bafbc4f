import { podWorkerApp } from '../src/app/function-apps.ts';
import { queueHandler } from '../src/lambda/queue-handler.ts';

const { workers, options } = podWorkerApp(process.env);

export const handler = queueHandler(workers, options);
