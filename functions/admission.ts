import { admissionApp } from '../src/app/function-apps.ts';
import { admissionHandler } from '../src/lambda/admission-handler.ts';

export const handler = admissionHandler(admissionApp(process.env));
