import { kubeletApp } from '../src/app/function-apps.ts';
import { streamHandler } from '../src/lambda/stream-handler.ts';

const { handler: kubelet, options } = kubeletApp(process.env, 'container-logs');

export const handler = streamHandler(kubelet, options);
