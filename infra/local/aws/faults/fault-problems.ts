import type * as z from 'zod/mini';

/** What is wrong with a fault, all of it, each with the member's name. */
export const faultProblems = (error: z.core.$ZodError): string =>
  error.issues.map((issue) => `${issue.path.join('.') || 'the fault'}: ${wordsOf(issue)}`).join('\n');

const wordsOf = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_union':
      return 'there is no such fault';
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_type':
      return `must be a ${issue.expected}`;
    case 'too_small':
      return `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}`;
    case 'too_big':
      return `must be ${issue.inclusive ? 'at most' : 'below'} ${issue.maximum}`;
    case 'unrecognized_keys':
      return `takes no ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
    default:
      return issue.message;
  }
};
