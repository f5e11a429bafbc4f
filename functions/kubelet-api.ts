import { kubeletApp } from '../src/app/function-apps.ts';
import { kubeletHandler } from '../src/lambda/kubelet-handler.ts';

const { handler: kubelet, options } = kubeletApp(process.env, 'kubelet-api');

export const handler = kubeletHandler(kubelet, options);
