import { heartbeatApp } from '../src/app/function-apps.ts';
import { handlerByEvent } from '../src/lambda/by-event.ts';
import { queueHandler } from '../src/lambda/queue-handler.ts';
import { scheduledHandler } from '../src/lambda/scheduled-handler.ts';

const { run, workers, options } = heartbeatApp(process.env);

export const handler = handlerByEvent({
  queue: queueHandler(workers, options),
  scheduled: scheduledHandler(run, options),
});
